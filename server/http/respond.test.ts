import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { pino } from 'pino';
import type { Answer } from '../api/answer.ts';
import type { IncomingRequest, OutgoingResponse } from '../api/exchange.ts';
import { ALL_FIELDS } from '../api/field-selector.ts';
import { ALL_LABELS } from '../api/label-selector.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { Subscription } from '../cache/resource-cache.ts';
import type { Registry } from '../resources/registry.ts';
import { createResponder } from './respond.ts';

const FORM: Negotiated = { format: 'json', as: undefined, asVersion: 'v1', pretty: false };

/** An answer that no client reads. */
class Response extends EventEmitter {
  statusCode = 200;
  headersSent = false;
  destroyed = false;
  closed = false;
  writableEnded = false;
  writableFinished = false;
  writableLength = 0;
  writableNeedDrain = false;
  setHeader(): void {}
  writeHead(): void {}
  flushHeaders(): void {
    this.headersSent = true;
  }
  write(): boolean {
    return true;
  }
  end(): void {
    this.writableEnded = true;
    this.leave();
  }
  cork(): void {}
  uncork(): void {}
  /** The client is gone. */
  leave(): void {
    if (this.closed) return;
    this.destroyed = true;
    this.closed = true;
    this.emit('close');
  }
}

/** A server that answers every request with a watch, when the test lets it. */
class Bench {
  open = 0;
  subscribed = 1;
  finished = 0;
  readonly response = new Response();
  readonly leaving = new AbortController();
  answer: () => void = () => {};
  #callback: (() => void) | undefined;

  constructor() {
    const subscription: Subscription = {
      next: () => [],
      position: 5,
      gone: false,
      onReady: (callback) => {
        this.#callback = callback;
      },
      requestTurn: () => this.#callback?.(),
      close: () => {
        this.subscribed = 0;
      },
    };
    const served = { reading: { now: {} }, jsonHead: Buffer.from('{}') };
    const stream = {
      ...{ served, subscription, initial: [], start: 5, bookmarks: true, marksInitial: false, timeoutMs: 60_000 },
      selected: { labels: ALL_LABELS, fields: ALL_FIELDS, everything: true, indexKey: undefined },
    };
    const answered = new Promise<void>((resolve) => {
      this.answer = resolve;
    });
    const respond = createResponder({
      registry: {} as Registry,
      handler: async (context: RequestContext) => {
        context.form = FORM;
        await answered;
        return { kind: 'watch', stream } as unknown as Answer;
      },
      log: pino({ level: 'silent' }),
      leaving: this.leaving.signal,
      requestTimeoutMs: 60_000,
      finished: () => this.finished++,
      streamOpened: () => () => {},
      watchOpened: () => {
        this.open++;
        return { sent() {}, ended: () => this.open-- };
      },
    });
    const request = { method: 'GET', url: '/api/v1/pods?watch=1', headers: {}, rawHeaders: [], socket: {} };
    const incoming = { ...request, complete: true } as unknown as IncomingRequest;
    respond(incoming, this.response as unknown as OutgoingResponse, () => 0);
  }

  get counts() {
    return [this.open, this.subscribed, this.finished];
  }
}

describe('a watch', () => {
  const ends: [what: string, steps: ((bench: Bench) => void)[], counts: number[]][] = [
    ['is open once it is answered', [(bench) => bench.answer()], [1, 1, 0]],
    ['ends with its client', [(bench) => bench.answer(), (bench) => bench.response.leave()], [0, 0, 1]],
    ['ends with the server', [(bench) => bench.answer(), (bench) => bench.leaving.abort()], [0, 0, 1]],
    [
      'does not begin for a client that is gone',
      [(bench) => bench.response.leave(), (bench) => bench.answer()],
      [0, 0, 1],
    ],
  ];
  for (const [what, steps, counts] of ends) {
    it(what, async () => {
      const bench = new Bench();
      for (const step of steps) {
        step(bench);
        await turn();
      }
      assert.deepEqual(bench.counts, counts);
      bench.response.leave();
      assert.deepEqual(bench.counts, [0, 0, 1]);
    });
  }

  it('holds neither the query of its request nor a promise while it is open', async function () {
    this.timeout(60_000);
    const counted = [URLSearchParams, Promise];
    // collects garbage first
    const counts = () => counted.map((type) => queryObjects(type, { format: 'count' }));
    const before = counts();
    const benches = Array.from({ length: 100 }, () => new Bench());
    for (const bench of benches) bench.answer();
    await turn();
    const [queries, promises] = counts().map((count, i) => (count - before[i]!) / benches.length);
    assert.deepEqual(new Set(benches.map(({ open }) => open)), new Set([1]));
    assert.ok(queries! < 0.5, `${queries} queries each`);
    // one is the test's own, and one of the recorder of lists that each responder has
    assert.ok(promises! < 3, `${promises} promises each`);
    for (const bench of benches) bench.response.leave();
  });
});

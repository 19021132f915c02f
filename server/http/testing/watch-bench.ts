import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import type { Answer } from '../../api/answer.ts';
import type { IncomingRequest, OutgoingResponse } from '../../api/exchange.ts';
import { ALL_FIELDS } from '../../api/field-selector.ts';
import { ALL_LABELS } from '../../api/label-selector.ts';
import type { Negotiated, RequestContext } from '../../api/request-context.ts';
import type { Subscription } from '../../cache/resource-cache.ts';
import type { Registry } from '../../resources/registry.ts';
import { createResponder } from '../respond.ts';

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
  /** Makes the client disconnect. */
  leave(): void {
    if (this.closed) return;
    this.destroyed = true;
    this.closed = true;
    this.emit('close');
  }
}

/** A responder with one request. It answers with a watch when the test allows it. */
export class WatchBench {
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

  /** The numbers of open watches, subscriptions and ended requests. */
  get counts() {
    return [this.open, this.subscribed, this.finished];
  }
}

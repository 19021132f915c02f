import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import type { LoadedConnection } from '#program/connection/loaded-connection.ts';
import { startTlsServer, type TestServer } from '../../authentication/testing/tls-server.ts';
import { AuditEntry } from './audit-event.ts';
import { WebhookSink, type WebhookSinkOptions } from './webhook-sink.ts';

const apiVersion = createNaming('orch').apiVersion('audit', 'v1');

const entry = (id: string) =>
  new AuditEntry({
    level: 'Metadata',
    auditID: id,
    stage: 'ResponseComplete',
    requestURI: '/',
    verb: 'get',
    user: {},
    requestReceivedTimestamp: null,
    stageTimestamp: null,
  });

describe('the audit webhook sink', () => {
  let server: TestServer;
  let answers: (number | 'silence' | 'hang up')[];
  let bodies: { items: { auditID: string }[] }[];
  let authorizations: (string | undefined)[];
  before(async () => {
    server = await startTlsServer((request, response, body) => {
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      bodies.push(JSON.parse(body));
      authorizations.push(request.headers.authorization);
      if (answer === 'silence') return;
      if (answer === 'hang up') return request.socket.destroy();
      response.writeHead(answer).end();
    });
  });
  after(() => server.stop());
  beforeEach(() => {
    answers = [200];
    bodies = [];
    authorizations = [];
  });
  const sink = (options: Partial<WebhookSinkOptions> = {}, connection: Partial<LoadedConnection> = {}) =>
    new WebhookSink(
      { server: `${server.url}/audit`, ca: server.ca, ...connection },
      { apiVersion, initialBackoffMs: 5, timeoutMs: 30_000, ...options },
    );

  it('sends lists of events', async () => {
    await sink().send([entry('a'), entry('b')]);
    const [list] = bodies as unknown as [Record<string, unknown> & { items: Record<string, unknown>[] }];
    assert.deepEqual(
      { ...list, items: list.items.map(({ auditID, kind }) => [auditID, kind]) },
      {
        kind: 'EventList',
        apiVersion,
        metadata: {},
        items: [
          ['a', undefined],
          ['b', undefined],
        ],
      },
    );
  });

  const outcomes: [answers: typeof answers, attempts: number, taken: boolean][] = [
    [[204], 1, true],
    [[500, 'hang up', 'silence', 429, 200], 5, true],
    [[500], 5, false],
    [['hang up'], 5, false],
    [[403, 403, 200], 3, true],
  ];
  for (const [given, attempts, taken] of outcomes)
    it(`tries ${attempts} times if the webhook answers ${given.join(', then ')}`, async () => {
      answers = given;
      // An immediate answer arrives within this time, even on a busy machine.
      const patience = given.includes('silence') ? { timeoutMs: 2_000 } : {};
      const sent = sink(patience).send([entry('a')]);
      if (taken) await sent;
      else await assert.rejects(sent);
      assert.equal(bodies.length, attempts);
    });

  it('waits longer after each attempt', async () => {
    answers = [500];
    const started = performance.now();
    await assert.rejects(sink({ initialBackoffMs: 20 }).send([entry('a')]), /answers 500/);
    // 20 + 30 + 45 + 67.5
    assert.ok(performance.now() - started >= 160);
  });

  it('refuses a webhook with a certificate of another authority', async () => {
    const other = await startTlsServer(() => {});
    await assert.rejects(sink({}, { ca: other.ca }).send([entry('a')]), /certificate/);
    await other.stop();
    assert.equal(bodies.length, 0);
  });

  it('uses the credentials of the connection file, and reads the token file again', async () => {
    const tokenFile = path.join(mkdtempSync(path.join(tmpdir(), 'audit-token-')), 'token');
    const rotating = sink({}, { tokenFile });
    for (const token of ['first', 'second']) {
      writeFileSync(tokenFile, `${token}\n`);
      await rotating.send([entry('a')]);
    }
    await sink({}, { username: 'u', password: 'p' }).send([entry('a')]);
    assert.deepEqual(authorizations, ['Bearer first', 'Bearer second', 'Basic dTpw']);
  });

  it('makes one more attempt at once when the server stops', async () => {
    answers = [500, 500, 200];
    const waiting = sink({ initialBackoffMs: 60_000 });
    const sent = waiting.send([entry('a')]);
    while (bodies.length === 0) await sleep(5);
    await waiting.stop();
    await assert.rejects(sent, /answers 500/);
    assert.equal(bodies.length, 2);
  });

  it('aborts a request without an answer when the server stops', async function () {
    this.timeout(10_000);
    answers = ['silence'];
    const hanging = sink({ timeoutMs: 60_000 });
    const sent = hanging.send([entry('a')]);
    while (bodies.length === 0) await sleep(5);
    await hanging.stop();
    await assert.rejects(Promise.all([sent, hanging.send([entry('b')])]));
  });
});

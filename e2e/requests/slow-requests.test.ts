import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { type HookServer, startHookServer } from '#server/admission/webhooks/testing/hook-server.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import {
  testNaming as naming,
  startLoggingReplica,
  type TestAnswer,
  type TestReplica,
} from '#server/testing/replica.ts';
import { type CollectedSpan, TraceCollector } from '#server/testing/trace-collector.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** The log line about a slow request. */
interface SlowLine {
  readonly requestId: string;
  readonly path: string;
  readonly user: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly stages: Readonly<Record<string, number>>;
  readonly steps?: readonly string[];
}

describe('the log line of a slow request', function () {
  this.timeout(90_000);
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let hook: HookServer;
  let collector: TraceCollector;
  const folder = mkdtempSync(path.join(tmpdir(), 'slow-requests-'));
  const lines: SlowLine[] = [];

  before(async () => {
    hook = await startHookServer({ slow: { delayMs: 400 } });
    etcd = await startBootstrappedEtcd();
    const sink = new Writable({
      write(chunk, _encoding, done) {
        const line = JSON.parse(String(chunk)) as SlowLine & { msg: string };
        if (line.msg === 'a request was slow') lines.push(line);
        done();
      },
    });
    collector = await new TraceCollector().start();
    const tracing = path.join(folder, 'tracing.json');
    const apiVersion = naming.apiVersion('apiserver.config', 'v1alpha1');
    const endpoint = `127.0.0.1:${collector.port}`;
    const kind = 'TracingConfiguration';
    writeFileSync(tracing, JSON.stringify({ kind, apiVersion, endpoint, samplingRatePerMillion: 1_000_000 }));
    const flags = ['--slow-request-threshold=100ms', `--tracing-config-file=${tracing}`];
    replica = await startLoggingReplica(pino(sink), etcd.endpoint, ...flags);
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
    await hook?.stop();
    collector?.stop();
    rmSync(folder, { recursive: true });
  });

  /** The log line about a slow request. The server writes it when the client has the answer. */
  async function lineOf(answer: TestAnswer): Promise<SlowLine | undefined> {
    for (let i = 0; i < 100; i++) {
      const line = lines.find(({ requestId }) => requestId === answer.headers['audit-id']);
      if (line !== undefined) return line;
      await sleep(50);
    }
    return undefined;
  }

  /** The stage with the longest duration, apart from `admission`, which includes other stages. */
  const most = ({ stages }: SlowLine): string =>
    Object.entries(stages).reduce((a, b) => (b[1] > a[1] && b[0] !== 'admission' ? b : a), ['', 0])[0];

  /**
   * The log line about the first request that was slow in the intended stage. On a busy machine a request may also be
   * slow in another stage, or arrive too late to be delayed. Mocha's limit ends an endless wait.
   */
  async function slowAs(
    isMeant: (line: SlowLine) => boolean,
    ask: (name: string) => Promise<TestAnswer>,
  ): Promise<SlowLine> {
    for (let i = 0; ; i++) {
      const answer = await ask(`object-${lines.length}-${i}`);
      assert.ok(answer.status < 300, answer.text);
      const line = await lineOf(answer);
      if (line !== undefined && isMeant(line)) return line;
    }
  }

  /** The span of a request, and its descendants, after they have been sent. */
  async function traceOf({ requestId }: SlowLine): Promise<{ own: CollectedSpan; parts: CollectedSpan[] }> {
    for (let i = 0; i < 600; i++) {
      const own = collector.spans.find(({ attributes }) => attributes['audit.id'] === requestId);
      if (own !== undefined)
        return { own, parts: collector.spans.filter(({ trace, id }) => trace === own.trace && id !== own.id) };
      await sleep(50);
    }
    throw new Error('no span came');
  }

  /** The part of a trace with the longest duration, apart from `admission`, which includes other parts. */
  const longest = (parts: readonly CollectedSpan[]): CollectedSpan =>
    parts.filter(({ name }) => name !== 'admission').reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));

  it('names a slow webhook', async () => {
    const configuration = {
      metadata: { name: 'slow' },
      webhooks: [
        {
          name: 'slow.example.com',
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          clientConfig: { url: `${hook.url}/slow`, caBundle: Buffer.from(hook.ca).toString('base64') },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    };
    const configurations = `/apis/${naming.group('admissionregistration')}/v1/validatingwebhookconfigurations`;
    assert.equal((await replica.call('POST', configurations, { body: configuration })).status, 201);
    const line = await slowAs(
      (one) => most(one) === 'webhook',
      (name) => replica.call('POST', MAPS, { body: { metadata: { name } } }),
    );
    assert.deepEqual([line.path, line.user, line.status], [MAPS, 'admin', 201]);
    assert.ok(line.stages['webhook']! >= 390 && line.stages['admission']! >= line.stages['webhook']!);
    assert.ok(line.steps?.some((step) => step.startsWith('webhook slow.example.com: ')));
    assert.ok(line.steps?.some((step) => step.startsWith('admission ValidatingAdmissionWebhook: ')));
    assert.equal(longest((await traceOf(line)).parts).attributes['step'], 'webhook slow.example.com');
    assert.equal((await replica.call('DELETE', `${configurations}/slow`)).status, 200);
  });

  it('names a slow etcd', async () => {
    const line = await slowAs(
      (one) => most(one) === 'etcd',
      async (name) => {
        await etcd.freeze();
        const asked = replica.call('POST', MAPS, { body: { metadata: { name } } });
        await sleep(900);
        etcd.thaw();
        return asked;
      },
    );
    assert.ok(line.steps?.some((step) => step.startsWith('etcd ')));
    assert.match(String(longest((await traceOf(line)).parts).attributes['step']), /^etcd create /);
  });

  it('names a huge list', async () => {
    const data = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`key-${i}`, `line ${i}: `.repeat(10)]));
    const names = Array.from({ length: 6 }, (_, i) => `huge-${i}`);
    for (const name of names)
      assert.equal((await replica.call('POST', MAPS, { body: { metadata: { name }, data } })).status, 201);
    const line = await slowAs(
      (one) =>
        ['encoding', 'blockedEventLoop'].includes(most(one)) && (one.stages['encoding'] ?? 0) > one.milliseconds / 3,
      () => replica.call('GET', MAPS, { headers: { Accept: 'application/yaml' } }),
    );
    const { own, parts } = await traceOf(line);
    const encoding = parts
      .filter(({ name }) => name === 'encoding')
      .reduce((sum, { start, end }) => sum + end - start, 0);
    assert.ok(encoding > (own.end - own.start) / 3, JSON.stringify(parts));
  });

  it('names a blocked event loop', async () => {
    const line = await slowAs(
      ({ stages }) => (stages['blockedEventLoop'] ?? 0) > 500,
      async () => {
        await etcd.freeze();
        const asked = replica.call('GET', '/api/v1/namespaces/default');
        // This delay is long enough for the request to arrive. Both delays together are shorter than the time limit of
        // etcd.
        await sleep(200);
        const until = performance.now() + 700;
        while (performance.now() < until);
        etcd.thaw();
        return asked;
      },
    );
    assert.ok(Number((await traceOf(line)).own.attributes['event_loop.blocked_ms']) > 500);
  });
});

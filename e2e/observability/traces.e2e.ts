import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { type HookServer, startHookServer } from '#server/admission/webhooks/testing/hook-server.ts';
import { parseTraceparent } from '#server/observability/traces/otlp-tracer.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import {
  testNaming as naming,
  startLoggingReplica,
  startReplica,
  type TestAnswer,
  type TestReplica,
} from '#server/testing/replica.ts';
import { ReplicaProcess } from '#server/testing/replica-process.ts';
import { type CollectedSpan, TraceCollector } from '#server/testing/trace-collector.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

describe('parseTraceparent', () => {
  const cases: readonly [header: string | undefined, continued: boolean][] = [
    [`00-${TRACE}-${CALLER}-01`, true],
    [`00-${TRACE}-${CALLER}-00`, true],
    [`cc-${TRACE}-${CALLER}-01-what-comes-later`, true],
    [`00-${TRACE}-${CALLER}-01-more`, false],
    [`ff-${TRACE}-${CALLER}-01`, false],
    [`00-${'0'.repeat(32)}-${CALLER}-01`, false],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
    [`00-${TRACE.toUpperCase()}-${CALLER}-01`, false],
    ['nonsense', false],
    ['', false],
    [undefined, false],
  ];
  for (const [header, continued] of cases) {
    it(`${continued ? 'reads' : 'refuses'} ${header}`, () => {
      const found = parseTraceparent(header);
      assert.deepEqual(found && [found.traceId, found.spanId], continued ? [TRACE, CALLER] : undefined);
    });
  }
});

describe('traces', function () {
  this.timeout(90_000);
  let etcd: EtcdProcess;
  let collector: TraceCollector;
  let hook: HookServer;
  const directory = mkdtempSync(path.join(tmpdir(), 'traces-'));

  before(async () => {
    etcd = await startBootstrappedEtcd();
    collector = await new TraceCollector().start();
    hook = await startHookServer({ slow: { delayMs: 300 } });
  });

  after(async () => {
    await etcd?.stop();
    collector?.stop();
    await hook?.stop();
  });

  /** The flag with a file that sets how many of a million requests the server records. */
  function configure(samplingRatePerMillion: number): string {
    const file = path.join(directory, `${samplingRatePerMillion}.json`);
    const apiVersion = naming.apiVersion('apiserver.config', 'v1alpha1');
    const endpoint = `127.0.0.1:${collector.port}`;
    writeFileSync(file, JSON.stringify({ kind: 'TracingConfiguration', apiVersion, endpoint, samplingRatePerMillion }));
    return `--tracing-config-file=${file}`;
  }

  function start(samplingRatePerMillion: number): Promise<TestReplica> {
    return startReplica(etcd.endpoint, configure(samplingRatePerMillion), '--anonymous-auth=true');
  }

  const idOf = ({ headers }: TestAnswer) => headers['audit-id'];

  /**
   * All spans of the trace with a request. They have all arrived when the request's own span, which ends last, has
   * arrived.
   */
  function spansOf(answer: TestAnswer): Promise<{ own: CollectedSpan; all: CollectedSpan[] }> {
    return spansWhere('audit.id', idOf(answer));
  }

  async function spansWhere(key: string, value: unknown): Promise<{ own: CollectedSpan; all: CollectedSpan[] }> {
    for (let i = 0; i < 600; i++) {
      const own = collector.spans.find(({ attributes }) => attributes[key] === value);
      if (own !== undefined) return { own, all: collector.spans.filter(({ trace }) => trace === own.trace) };
      await sleep(50);
    }
    throw new Error('no span came');
  }

  it('show the stages of a request and continue in webhooks', async () => {
    const replica = await start(1_000_000);
    const configurations = `/apis/${naming.group('admissionregistration')}/v1/validatingwebhookconfigurations`;
    const webhook = {
      name: 'slow.example.com',
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      clientConfig: { url: `${hook.url}/slow`, caBundle: Buffer.from(hook.ca).toString('base64') },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    await replica.call('POST', configurations, { body: { metadata: { name: 'slow' }, webhooks: [webhook] } });
    const answer = await replica.call('POST', MAPS, { body: { metadata: { name: 'traced' } } });
    assert.equal(answer.status, 201);
    const { own, all } = await spansOf(answer);
    assert.deepEqual(
      [own.name, own.parent, own.attributes['http.status_code'], own.attributes['api.operation']],
      [naming.tracedApi, '', 201, 'create configmaps'],
    );
    const named = (name: string) => all.find((span) => span.name === name);
    for (const name of ['authentication', 'authorization', 'admission', 'encoding']) assert.ok(named(name), name);
    assert.equal((await spansWhere('step', 'etcd create *core.ConfigMap')).own.name, 'etcdserverpb.KV/Txn');
    const { own: asked } = await spansWhere('step', 'webhook slow.example.com');
    assert.equal(asked.name, 'HTTP POST');
    assert.ok(asked.end - asked.start > 290, 'the trace says that it was the webhook');
    assert.deepEqual(
      all.filter(({ parent, id }) => parent !== own.id && id !== own.id),
      [],
    );
    assert.equal(hook.calls.at(-1)?.headers['traceparent'], `00-${own.trace}-${asked.id}-01`);
    await replica.call('DELETE', `${configurations}/slow`);
    await replica.stop();
  });

  it('continue only traces of administrators, whose sampling decision counts', async () => {
    const replica = await start(0);
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    const unsampled = await replica.call('GET', MAPS);
    const anonymous = await replica.call('GET', '/readyz', { headers, token: '' });
    assert.equal(anonymous.status, 200);
    const { own } = await spansOf(await replica.call('GET', MAPS, { headers }));
    assert.deepEqual([own.trace, own.parent], [TRACE, CALLER]);
    const recorded = new Set(collector.spans.map(({ attributes }) => attributes['audit.id']));
    assert.deepEqual([recorded.has(idOf(unsampled)), recorded.has(idOf(anonymous))], [false, false]);
    await replica.stop();
  });

  it('are all sent when a server stops, without waiting for a missing collector', async () => {
    const replica = await start(1_000_000);
    const answer = await replica.call('GET', MAPS);
    await replica.stop();
    assert.ok(collector.spans.some(({ attributes }) => attributes['audit.id'] === idOf(answer)));
    const file = path.join(directory, 'nowhere.json');
    const apiVersion = naming.apiVersion('apiserver.config', 'v1alpha1');
    const configuration = { kind: 'TracingConfiguration', apiVersion, endpoint: '127.0.0.1:1' };
    writeFileSync(file, JSON.stringify({ ...configuration, samplingRatePerMillion: 1_000_000 }));
    const lines: { lostSpans?: number }[] = [];
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
    const lonely = await startLoggingReplica(log, etcd.endpoint, `--tracing-config-file=${file}`);
    assert.equal((await lonely.call('GET', MAPS)).status, 200);
    await lonely.stop();
    assert.ok(
      lines.some(({ lostSpans = 0 }) => lostSpans > 0),
      'the log says so',
    );
  });

  for (const workers of [1, 2])
    it(`are sent by the built program with ${workers} of its processes`, async () => {
      const replica = await ReplicaProcess.launch(etcd, configure(1_000_000), `--workers=${workers}`);
      try {
        await replica.ready();
        const target = `/api/v1/namespaces/traced-by-${workers}/configmaps`;
        assert.equal((await replica.call('GET', target)).status, 200);
        const { own, all } = await spansWhere('http.target', target);
        assert.equal(own.attributes['api.operation'], 'list configmaps');
        assert.ok(all.some(({ name }) => name === 'authorization'));
      } finally {
        await replica.process.stop();
      }
    });
});

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { startTlsServer, type TestServer } from '#server/authentication/testing/tls-server.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { call, type Found, MAPS, naming, policy, tokenOf } from './audit-requests.ts';

describe('audit backends of a replica', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'audit-backends-'));
  const policyFile = path.join(folder, 'policy.yaml');
  const rules = [
    { level: 'None', users: ['admin'] },
    { level: 'RequestResponse', users: ['bob'] },
  ];
  let etcd: EtcdProcess;
  let hook: TestServer;
  let behaviour: 'good' | 'dead' | 'slow' | 'silent' = 'good';
  /** The answers that a silent hook still has to send. */
  const held: (() => void)[] = [];
  const received: Found[] = [];
  const running = new Set<TestReplica>();
  before(async () => {
    writeFileSync(policyFile, JSON.stringify({ ...policy, rules }));
    etcd = await startBootstrappedEtcd();
    hook = await startTlsServer((request, response, body) => {
      if (behaviour === 'dead') return request.socket.destroy();
      const take = () => {
        received.push(...JSON.parse(body).items);
        response.writeHead(200).end();
      };
      if (behaviour === 'silent') held.push(take);
      else setTimeout(take, behaviour === 'slow' ? 3_000 : 0);
    });
    writeConnectionFile(path.join(folder, 'webhook.conf'), 'hook', { server: hook.url, ca: hook.ca });
  });
  beforeEach(() => {
    received.length = 0;
    behaviour = 'good';
  });
  afterEach(async () => {
    await Promise.all([...running].map((replica) => replica.stop()));
    running.clear();
  });
  after(async () => {
    await hook?.stop();
    await etcd?.stop();
  });
  const start = async (...flags: string[]): Promise<TestReplica> => {
    const replica = await startReplica(etcd.endpoint, `--audit-policy-file=${policyFile}`, ...flags);
    running.add(replica);
    return replica;
  };
  const withHook = (...flags: string[]) =>
    start(`--audit-webhook-config-file=${path.join(folder, 'webhook.conf')}`, ...flags);
  /** Requests a review of rights as Bob. Resolves to the code and the duration in milliseconds. */
  const ask = async ({ port }: TestReplica) => {
    const started = performance.now();
    const reviews = `/apis/${naming.apiVersion('authorization', 'v1')}/selfsubjectaccessreviews`;
    const body = { spec: { nonResourceAttributes: { path: '/version', verb: 'get' } } };
    const answer = await call(port, 'POST', reviews, { Authorization: `Bearer ${tokenOf('bob')}` }, body);
    return { code: answer.statusCode, took: performance.now() - started };
  };
  const metric = async (replica: TestReplica, line: string): Promise<number> => {
    const { text } = await replica.call('GET', '/metrics');
    return Number(
      text
        .split('\n')
        .find((other) => other.startsWith(`${line} `))
        ?.slice(line.length) ?? Number.NaN,
    );
  };
  const eventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (let i = 0; i < 1_000; i++) {
      if (await holds()) return;
      await sleep(20);
    }
    assert.ok(await holds());
  };
  it('send batches to a webhook without delaying requests', async () => {
    behaviour = 'silent';
    const replica = await withHook('--audit-webhook-batch-max-wait=50ms');
    for (let i = 0; i < 4; i++) assert.equal((await ask(replica)).code, 201);
    behaviour = 'good';
    for (const take of held.splice(0)) take();
    await eventually(() => received.length === 8);
    const completed = received.filter(({ stage }) => stage === 'ResponseComplete');
    assert.equal(completed.length, 4);
    assert.equal(completed[0].requestObject.spec.nonResourceAttributes.path, '/version');
    assert.equal(completed[0].responseObject.status.allowed, true);
  });
  it('send waiting events when the server stops', async () => {
    const replica = await withHook('--audit-webhook-batch-max-wait=1h');
    for (let i = 0; i < 3; i++) await ask(replica);
    assert.equal(received.length, 0);
    running.delete(replica);
    await replica.stop();
    assert.equal(received.length, 6);
  });
  it('lose and count events if the webhook is down, and let requests pass', async () => {
    behaviour = 'dead';
    const replica = await withHook('--audit-webhook-batch-max-wait=10ms', '--audit-webhook-initial-backoff=1ms');
    assert.equal((await ask(replica)).code, 201);
    await eventually(async () => (await metric(replica, 'apiserver_audit_error_total{plugin="webhook"}')) === 2);
    assert.equal(received.length, 0);
  });
  it('delay requests in blocking mode, and let them pass if the webhook is down', async () => {
    const replica = await withHook('--audit-webhook-mode=blocking', '--audit-webhook-initial-backoff=1ms');
    behaviour = 'slow';
    const { code, took } = await ask(replica);
    assert.equal(code, 201);
    assert.ok(took >= 600, `${took} ms for two events of 300 ms`);
    assert.equal(received.length, 2, 'the webhook has both events before the client gets its answer');
    behaviour = 'dead';
    assert.equal((await ask(replica)).code, 201);
    assert.equal(await metric(replica, 'apiserver_audit_error_total{plugin="webhook"}'), 2);
  });
  it('refuse requests that cannot be recorded in blocking-strict mode', async () => {
    const replica = await withHook('--audit-webhook-mode=blocking-strict', '--audit-webhook-initial-backoff=1ms');
    assert.equal((await ask(replica)).code, 201);
    behaviour = 'dead';
    assert.equal((await ask(replica)).code, 500);
    assert.equal(await metric(replica, 'apiserver_audit_requests_rejected_total'), 1);
    assert.equal((await replica.call('GET', MAPS)).status, 200, 'the policy does not record this request');
    behaviour = 'good';
    assert.equal((await ask(replica)).code, 201);
  });
  it('lose and count events on a full disk, and refuse requests only in blocking-strict mode', async () => {
    const replica = await start('--audit-log-path=/dev/full');
    assert.equal(
      await metric(replica, 'apiserver_audit_error_total{plugin="log"}'),
      0,
      'the series exists before the first loss, so that alerts can see the loss',
    );
    assert.equal((await ask(replica)).code, 201);
    assert.equal(await metric(replica, 'apiserver_audit_error_total{plugin="log"}'), 2);
    const strict = await start('--audit-log-path=/dev/full', '--audit-log-mode=blocking-strict');
    assert.equal((await ask(strict)).code, 500);
    const batching = await start('--audit-log-path=/dev/full', '--audit-log-mode=batch');
    assert.equal((await ask(batching)).code, 201);
  });
  it('write to a log and a webhook at the same time, each in its mode', async () => {
    const file = path.join(folder, 'both.log');
    const replica = await withHook(
      `--audit-log-path=${file}`,
      '--audit-log-format=legacy',
      '--audit-log-mode=batch',
      '--audit-webhook-mode=blocking',
    );
    await ask(replica);
    assert.equal(received.length, 2);
    await eventually(() => readFileSync(file, 'utf8').split('\n').length === 3);
    assert.match(
      readFileSync(file, 'utf8'),
      /AUDIT: id="[^"]+" stage="RequestReceived" ip="127.0.0.1" method="create"/,
    );
  });
  it('refuse to start with an invalid policy', async () => {
    const bad = path.join(folder, 'bad.yaml');
    writeFileSync(bad, JSON.stringify({ ...policy, rules: [{ level: 'Everything' }] }));
    await assert.rejects(startReplica(etcd.endpoint, `--audit-policy-file=${bad}`), {
      name: 'ConfigError',
      message: /bad.yaml:1:\d+: rules\[0\].level must be one of None, Metadata, Request, RequestResponse$/,
    });
  });
});

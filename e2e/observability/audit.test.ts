import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { startTlsServer, type TestServer } from '#server/authentication/testing/tls-server.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestAnswer, type TestReplica, testPki } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const naming = createNaming('orch');
const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const HIDDEN = 'c2VjcmV0IHdvcmQ=';
const decision = naming.key('authorization/decision');
const reason = naming.key('authorization/reason');

const policy = {
  apiVersion: naming.apiVersion('audit', 'v1'),
  kind: 'Policy',
  rules: [
    { level: 'None', users: ['admin'], resources: [{ resources: ['services'] }] },
    { level: 'Metadata', resources: [{ resources: ['secrets', 'serviceaccounts/token'] }] },
    { level: 'RequestResponse', resources: [{ resources: ['configmaps'] }], omitManagedFields: true },
    { level: 'Request', resources: [{ resources: ['pods/eviction'] }, { group: 'apps' }] },
    { level: 'Request', resources: [{ resources: ['namespaces'] }], omitStages: ['RequestReceived'] },
    { level: 'Metadata', omitStages: ['RequestReceived'] },
  ],
};

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of any kind
type Found = any;

/** A request without a client certificate. */
async function call(port: number, method: string, target: string, headers: Record<string, string>, body?: object) {
  const sent = https.request({
    host: '127.0.0.1',
    port,
    method,
    path: target,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ca: testPki().read('ca.crt'),
    servername: 'localhost',
    agent: false,
  });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

function tokenOf(user: string): string {
  const line = testPki().read('tokens.csv').toString().split('\n');
  return line.find((text) => text.split(',')[1] === user)!.split(',')[0]!;
}

describe('audit log of a replica', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'audit-'));
  const file = path.join(folder, 'logs', 'audit.log');
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let last = 0;

  const events = (): Found[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));

  /** What a request adds to the log, by its id. */
  const recorded = async (
    make: (headers: { 'Audit-ID': string }) => Promise<TestAnswer | { headers: object }>,
    stages: number,
  ) => {
    const id = `request-${++last}`;
    const answer = await make({ 'Audit-ID': id });
    assert.equal((answer.headers as Record<string, string>)['audit-id'], id);
    const mine = () => events().filter((event) => event.auditID === id);
    for (let i = 0; i < 1_000 && mine().length < stages; i++) await sleep(20);
    const found = mine();
    assert.equal(found.length, stages, JSON.stringify(found.map(({ stage }) => stage)));
    return found;
  };

  before(async () => {
    writeFileSync(path.join(folder, 'policy.yaml'), JSON.stringify(policy));
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(
      etcd.endpoint,
      `--audit-policy-file=${path.join(folder, 'policy.yaml')}`,
      `--audit-log-path=${file}`,
    );
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  it('tells who created what, and with which outcome, as soon as the client knows it', async () => {
    const body = { metadata: { name: 'one', managedFields: [] }, data: { key: 'value', long: '12345678901234567890' } };
    const headers = { 'User-Agent': 'test/1', 'X-Forwarded-For': '10.1.2.3, ::ffff:10.4.5.6', 'Audit-ID': 'created' };
    const answer = await replica.call('POST', `${MAPS}?fieldManager=me`, { body, headers });
    assert.equal(answer.headers['audit-id'], 'created');
    const [received, completed, ...more] = events().filter(({ auditID }) => auditID === 'created');
    assert.deepEqual(more, []);
    const { requestReceivedTimestamp, stageTimestamp, requestObject, responseObject, annotations, ...rest } = completed;
    const about = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' };
    assert.deepEqual(rest, {
      kind: 'Event',
      apiVersion: policy.apiVersion,
      level: 'RequestResponse',
      auditID: 'created',
      stage: 'ResponseComplete',
      requestURI: `${MAPS}?fieldManager=me`,
      verb: 'create',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['10.1.2.3', '10.4.5.6', '127.0.0.1'],
      userAgent: 'test/1',
      objectRef: { ...about, name: 'one' },
      responseStatus: { metadata: {}, code: 201 },
    });
    // a slow machine adds where the time went
    assert.deepEqual(
      { decision: annotations[decision], reason: annotations[reason] },
      { decision: 'allow', reason: '' },
    );
    assert.match(requestReceivedTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.ok(stageTimestamp >= requestReceivedTimestamp);
    assert.deepEqual(requestObject.data, body.data);
    assert.equal(requestObject.metadata.name, 'one');
    const { managedFields, ...metadata } = answer.json.metadata;
    assert.ok(managedFields.length > 0);
    assert.deepEqual(responseObject, { ...answer.json, metadata });
    assert.equal(received.stage, 'RequestReceived');
    assert.equal(received.stageTimestamp, received.requestReceivedTimestamp);
    assert.deepEqual(received.objectRef, about);
    for (const field of ['responseStatus', 'requestObject', 'responseObject', 'annotations'])
      assert.equal(received[field], undefined, field);
  });

  it('keeps patches as they were sent, lists and tables as they were answered', async () => {
    const type = 'application/merge-patch+json';
    const [, patched] = await recorded(
      (headers) =>
        replica.call('PATCH', `${MAPS}/one`, {
          headers: { ...headers, 'Content-Type': type },
          raw: '{"data":{"a":"b"}}',
        }),
      2,
    );
    assert.deepEqual(patched.requestObject, { data: { a: 'b' } });
    assert.equal(patched.responseObject.data.a, 'b');
    const [, listed] = await recorded((headers) => replica.call('GET', MAPS, { headers }), 2);
    assert.equal(listed.responseObject.kind, 'ConfigMapList');
    const one = listed.responseObject.items.find((item: Found) => item.metadata.name === 'one');
    assert.equal(one.data.a, 'b');
    assert.equal(one.metadata.managedFields, undefined);
    const table = `application/json;as=Table;v=v1;g=${naming.group('meta')}`;
    const [, shown] = await recorded(
      (headers) => replica.call('GET', MAPS, { headers: { ...headers, Accept: table } }),
      2,
    );
    assert.equal(shown.responseObject.kind, 'Table');
    const yaml = 'metadata: {name: applied}\ndata: {x: "1"}\napiVersion: v1\nkind: ConfigMap\n';
    const [, applied] = await recorded(
      (headers) =>
        replica.call('PATCH', `${MAPS}/applied?fieldManager=me`, {
          headers: { ...headers, 'Content-Type': 'application/apply-patch+yaml' },
          raw: yaml,
        }),
      2,
    );
    assert.deepEqual(applied.requestObject.data, { x: '1' });
    assert.equal(applied.responseStatus.code, 201);
  });

  it('keeps objects with their unset fields filled, in the version they were sent in', async () => {
    const selector = { matchLabels: { a: 'b' } };
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployment = { metadata: { name: 'filled' }, spec: { selector, template } };
    const apiVersion = naming.apiVersion('policy', 'v1beta1');
    const eviction = { apiVersion, kind: 'Eviction', metadata: { name: 'no' } };
    const filled = ({ spec }: Found) => [spec.strategy.type, spec.template.spec.restartPolicy];
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const rows: [method: string, path: string, body: object, pick: (object: Found) => unknown, expected: unknown][] = [
      ['POST', deployments, deployment, filled, ['RollingUpdate', 'Always']],
      ['PUT', `${deployments}/filled`, deployment, filled, ['RollingUpdate', 'Always']],
      ['POST', '/api/v1/namespaces/default/pods/no/eviction', eviction, (sent) => sent.apiVersion, apiVersion],
    ];
    for (const [method, target, body, pick, expected] of rows) {
      const [, completed] = await recorded((headers) => replica.call(method, target, { headers, body }), 2);
      assert.deepEqual(pick(completed.requestObject), expected, `${method} ${target}`);
    }
  });

  it('never holds what is in a secret at Metadata, nor a token', async () => {
    const body = { metadata: { name: 'hidden' }, data: { password: HIDDEN } };
    const [, created] = await recorded((headers) => replica.call('POST', SECRETS, { headers, body }), 2);
    assert.equal(created.objectRef.name, 'hidden');
    assert.equal(created.responseStatus.code, 201);
    await recorded((headers) => replica.call('GET', `${SECRETS}/hidden`, { headers }), 2);
    const asked = { spec: { audiences: [] } };
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await replica.call('POST', accounts, { body: { metadata: { name: 'robot' } } });
    const [, token] = await recorded(
      (headers) => replica.call('POST', `${accounts}/robot/token`, { headers, body: asked }),
      2,
    );
    assert.equal(token.objectRef.subresource, 'token');
    const bob = tokenOf('bob');
    await call(replica.port, 'GET', `${MAPS}?access_token=${bob}`, { Authorization: `Bearer ${bob}` });
    const text = readFileSync(file, 'utf8');
    assert.ok(text.includes('access_token=REDACTED'));
    for (const secret of [HIDDEN, bob, 'eyJhbGci']) assert.ok(!text.includes(secret), secret);
  });

  it('names clients that were not let in, and the means by which they tried', async () => {
    const tries: [headers: Record<string, string>, message: string][] = [
      [{ Authorization: 'Bearer wrong' }, 'Authentication failed, attempted: bearer'],
      [{ Authorization: 'Bearer wrong', 'X-Forwarded-For': 'nonsense' }, 'Authentication failed, attempted: bearer'],
    ];
    for (const [sent, message] of tries) {
      const [event] = await recorded((headers) => call(replica.port, 'GET', `${MAPS}/one`, { ...headers, ...sent }), 1);
      assert.equal(event.stage, 'ResponseStarted');
      assert.deepEqual(event.user, {});
      assert.deepEqual(event.sourceIPs, ['127.0.0.1']);
      assert.deepEqual(event.objectRef, {
        resource: 'configmaps',
        namespace: 'default',
        name: 'one',
        apiVersion: 'v1',
      });
      assert.deepEqual(event.responseStatus, {
        metadata: {},
        status: 'Failure',
        message,
        reason: 'Unauthorized',
        code: 401,
      });
    }
    const [late] = await recorded((headers) => replica.call('GET', `${MAPS}?timeout=soon`, { headers }), 1);
    assert.equal(late.responseStatus.code, 400);
  });

  it('tells who was refused, and why', async () => {
    const headersOf = (headers: object) => ({ ...headers, Authorization: `Bearer ${tokenOf('bob')}` });
    const target = '/api/v1/nodes';
    const [refused] = await recorded((headers) => call(replica.port, 'GET', target, headersOf(headers)), 1);
    assert.deepEqual(refused.user, {
      username: 'bob',
      uid: 'uid-bob',
      groups: ['dev', 'system:authenticated'],
    });
    assert.equal(refused.responseStatus.code, 403);
    assert.equal(refused.responseStatus.reason, 'Forbidden');
    assert.equal(refused.annotations[decision], 'forbid');
    const [anonymous] = await recorded((headers) => call(replica.port, 'GET', target, headers), 1);
    assert.equal(anonymous.user.username, 'system:anonymous');
    const [path] = await recorded((headers) => call(replica.port, 'GET', '/metrics', headersOf(headers)), 1);
    assert.equal(path.objectRef, undefined);
    assert.equal(path.verb, 'get');
  });

  it('names the user as whom a request was made, and as whom a client tried', async () => {
    const as = { 'Impersonate-User': 'jane', 'Impersonate-Group': 'dev', 'Impersonate-Extra-Scope': 'some' };
    const target = '/api/v1/namespaces/default/pods';
    const jane = { username: 'jane', groups: ['dev', 'system:authenticated'], extra: { scope: ['some'] } };
    const [made] = await recorded((headers) => replica.call('GET', target, { headers: { ...headers, ...as } }), 1);
    assert.equal(made.user.username, 'admin');
    assert.deepEqual(made.impersonatedUser, jane);
    assert.equal(made.responseStatus.code, 403);
    assert.match(made.responseStatus.message, /User "jane" cannot list resource "pods"/);
    const token = { Authorization: `Bearer ${tokenOf('bob')}` };
    const [tried] = await recorded((headers) => call(replica.port, 'GET', target, { ...headers, ...as, ...token }), 1);
    assert.equal(tried.user.username, 'bob');
    assert.deepEqual(tried.impersonatedUser, jane);
    assert.match(tried.responseStatus.message, /User "bob" cannot impersonate resource "users"/);
    assert.equal(tried.annotations[decision], 'forbid');
  });

  it('tells when a watch began and when it was over', async () => {
    const target = `${MAPS}?watch=1&timeoutSeconds=1`;
    const stages = await recorded((headers) => replica.call('GET', target, { headers }), 3);
    assert.deepEqual(
      stages.map(({ stage, verb, responseStatus }) => [stage, verb, responseStatus?.code]),
      [
        ['RequestReceived', 'watch', undefined],
        ['ResponseStarted', 'watch', 200],
        ['ResponseComplete', 'watch', 200],
      ],
    );
    const [, started, completed] = stages;
    assert.ok(Date.parse(completed.stageTimestamp) - Date.parse(started.stageTimestamp) > 500);
    assert.equal(completed.responseObject, undefined);
  });

  it('leaves out the stages and requests that policy leaves out', async () => {
    const [only] = await recorded(
      (headers) => replica.call('POST', '/api/v1/namespaces', { headers, body: { metadata: { name: 'extra' } } }),
      1,
    );
    assert.equal(only.level, 'Request');
    assert.equal(only.requestObject.metadata.name, 'extra');
    assert.equal(only.responseObject, undefined);
    await recorded((headers) => replica.call('GET', '/api/v1/namespaces/default/services', { headers }), 0);
  });

  it('notes deprecated versions', async () => {
    const [event] = await recorded((headers) => replica.call('GET', '/api/v1/componentstatuses', { headers }), 1);
    assert.equal(event.annotations[naming.key('deprecated')], 'true');
    assert.equal(event.annotations[naming.key('removed-release')], undefined);
  });

  it('gives an id of its own where the client has no good one', async () => {
    for (const [sent, expected] of [
      ['has blanks', /^[0-9a-f-]{36}$/],
      ['x'.repeat(100), /^x{64}$/],
    ] as const) {
      const answer = await replica.call('GET', `${MAPS}/one`, { headers: { 'Audit-ID': sent } });
      assert.match(String(answer.headers['audit-id']), expected);
    }
  });

  it('counts', async () => {
    const { text } = await replica.call('GET', '/metrics');
    const value = (line: string) =>
      Number(
        text
          .split('\n')
          .find((other) => other.startsWith(`${line} `))
          ?.slice(line.length),
      );
    assert.ok(value('apiserver_audit_event_total') > 10);
    assert.ok(value('apiserver_audit_level_total{level="Metadata"}') > 5);
    assert.equal(value('apiserver_audit_level_total{level="None"}'), 1);
    assert.equal(value('apiserver_audit_requests_rejected_total'), 0);
  });
});

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
  /** What goes on once a silent hook speaks. */
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

  /** Bob asks what he may do: the code, and how long that took, in milliseconds. */
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

  it('send batches to a webhook while no request waits for them', async () => {
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

  it('send what waits when the server stops', async () => {
    const replica = await withHook('--audit-webhook-batch-max-wait=1h');
    for (let i = 0; i < 3; i++) await ask(replica);
    assert.equal(received.length, 0);
    running.delete(replica);
    await replica.stop();
    assert.equal(received.length, 6);
  });

  it('lose events to a dead webhook, count them, and let requests pass', async () => {
    behaviour = 'dead';
    const replica = await withHook('--audit-webhook-batch-max-wait=10ms', '--audit-webhook-initial-backoff=1ms');
    assert.equal((await ask(replica)).code, 201);
    await eventually(async () => (await metric(replica, 'apiserver_audit_error_total{plugin="webhook"}')) === 2);
    assert.equal(received.length, 0);
  });

  it('have requests wait for a webhook that blocks, and pass when it is dead', async () => {
    const replica = await withHook('--audit-webhook-mode=blocking', '--audit-webhook-initial-backoff=1ms');
    behaviour = 'slow';
    const { code, took } = await ask(replica);
    assert.equal(code, 201);
    assert.ok(took >= 600, `${took} ms for two events of 300 ms`);
    assert.equal(received.length, 2, 'they are there when the client has its answer');
    behaviour = 'dead';
    assert.equal((await ask(replica)).code, 201);
    assert.equal(await metric(replica, 'apiserver_audit_error_total{plugin="webhook"}'), 2);
  });

  it('refuse requests that cannot be recorded where that is asked for', async () => {
    const replica = await withHook('--audit-webhook-mode=blocking-strict', '--audit-webhook-initial-backoff=1ms');
    assert.equal((await ask(replica)).code, 201);
    behaviour = 'dead';
    assert.equal((await ask(replica)).code, 500);
    assert.equal(await metric(replica, 'apiserver_audit_requests_rejected_total'), 1);
    assert.equal((await replica.call('GET', MAPS)).status, 200, 'what is not recorded needs no record');
    behaviour = 'good';
    assert.equal((await ask(replica)).code, 201);
  });

  it('stand a full disk', async () => {
    const replica = await start('--audit-log-path=/dev/full');
    assert.equal(await metric(replica, 'apiserver_audit_error_total{plugin="log"}'), 0, 'alerts see the first loss');
    assert.equal((await ask(replica)).code, 201);
    assert.equal(await metric(replica, 'apiserver_audit_error_total{plugin="log"}'), 2);
    const strict = await start('--audit-log-path=/dev/full', '--audit-log-mode=blocking-strict');
    assert.equal((await ask(strict)).code, 500);
    const batching = await start('--audit-log-path=/dev/full', '--audit-log-mode=batch');
    assert.equal((await ask(batching)).code, 201);
  });

  it('write to a log and a webhook at once, each in its mode', async () => {
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

  it('refuse to start with a bad policy', async () => {
    const bad = path.join(folder, 'bad.yaml');
    writeFileSync(bad, JSON.stringify({ ...policy, rules: [{ level: 'Everything' }] }));
    await assert.rejects(startReplica(etcd.endpoint, `--audit-policy-file=${bad}`), {
      name: 'ConfigError',
      message: /bad.yaml:1:\d+: rules\[0\].level must be one of None, Metadata, Request, RequestResponse$/,
    });
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestAnswer, type TestReplica } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { call, type Found, MAPS, naming, policy, tokenOf } from './audit-requests.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const HIDDEN = 'c2VjcmV0IHdvcmQ=';
const decision = naming.key('authorization/decision');
const reason = naming.key('authorization/reason');

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
  /** The log entries of a request, by its id. */
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
  it('records the user, the object and the outcome of a create before the client gets the response', async () => {
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
    // On a slow machine, there are also annotations about the stages of the request.
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
  it('records patches as sent, and lists and tables as answered', async () => {
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
  it('records objects with defaults, in the version of the request', async () => {
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
  it('never records secrets at level Metadata, and never records a token', async () => {
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
  it('records unauthenticated requests with the attempted methods', async () => {
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
  it('records refused requests with the user and the reason', async () => {
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
  it('records the impersonated user of allowed and refused requests', async () => {
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
  it('records the start and the end of a watch', async () => {
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
  it('leaves out stages and requests according to the policy', async () => {
    const [only] = await recorded(
      (headers) => replica.call('POST', '/api/v1/namespaces', { headers, body: { metadata: { name: 'extra' } } }),
      1,
    );
    assert.equal(only.level, 'Request');
    assert.equal(only.requestObject.metadata.name, 'extra');
    assert.equal(only.responseObject, undefined);
    await recorded((headers) => replica.call('GET', '/api/v1/namespaces/default/services', { headers }), 0);
  });
  it('marks deprecated API versions', async () => {
    const [event] = await recorded((headers) => replica.call('GET', '/api/v1/componentstatuses', { headers }), 1);
    assert.equal(event.annotations[naming.key('deprecated')], 'true');
    assert.equal(event.annotations[naming.key('removed-release')], undefined);
  });
  it('creates an audit id if the client sends no valid one', async () => {
    for (const [sent, expected] of [
      ['has blanks', /^[0-9a-f-]{36}$/],
      ['x'.repeat(100), /^x{64}$/],
    ] as const) {
      const answer = await replica.call('GET', `${MAPS}/one`, { headers: { 'Audit-ID': sent } });
      assert.match(String(answer.headers['audit-id']), expected);
    }
  });
  it('counts events in metrics', async () => {
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

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { aroundAll } from '../testing/around-all.ts';
import { startBootstrappedEtcd } from '../testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '../testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('metrics of requests', function () {
  this.timeout(90_000);
  let etcd: EtcdProcess;
  let replica: TestReplica;

  aroundAll((...started) => {
    [replica, etcd] = started;
  });

  /** The lines of a family whose labels have all of these values, each as its value. */
  async function values(family: string, labels: Record<string, string>): Promise<number[]> {
    const { text } = await replica.call('GET', '/metrics');
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${family}{`))
      .filter((line) => Object.entries(labels).every(([name, value]) => line.includes(`${name}="${value}"`)))
      .map((line) => Number(line.slice(line.lastIndexOf(' '))));
  }

  it('contain resource, verb and code for resources that exist', async () => {
    await replica.call('GET', MAPS);
    await replica.call('POST', MAPS, { body: { metadata: { name: 'counted' } } });
    await replica.call('GET', `${MAPS}/missing`);
    const of = { resource: 'configmaps', version: 'v1', subresource: '' };
    assert.deepEqual(
      await values('apiserver_request_total', { ...of, verb: 'LIST', scope: 'namespace', code: '200' }),
      [1],
    );
    assert.deepEqual(
      await values('apiserver_request_total', { ...of, verb: 'POST', scope: 'resource', code: '201' }),
      [1],
    );
    assert.deepEqual(
      await values('apiserver_request_total', { ...of, verb: 'GET', scope: 'resource', code: '404' }),
      [1],
    );
  });

  it('do not count a 429 for an eviction as a termination by overload', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const selector = { matchLabels: { app: 'kept' } };
    const spec = { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'a' }] };
    const serviceAccount = { body: { metadata: { name: 'default' } } };
    await replica.call('POST', '/api/v1/namespaces/default/serviceaccounts', serviceAccount);
    await replica.call('POST', pods, { body: { metadata: { name: 'kept', labels: selector.matchLabels }, spec } });
    const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    await replica.call('PATCH', `${pods}/kept/status`, {
      body: running,
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    await replica.call('POST', budgets, { body: { metadata: { name: 'kept' }, spec: { minAvailable: 1, selector } } });
    const { status } = await replica.call('POST', `${pods}/kept/eviction`, { body: { metadata: { name: 'kept' } } });
    assert.equal(status, 429);
    assert.deepEqual(await values('apiserver_request_total', { subresource: 'eviction', code: '429' }), [1]);
    assert.deepEqual(await values('apiserver_request_terminations_total', { subresource: 'eviction' }), []);
  });

  it('contain health paths, and response sizes of reads only', async () => {
    await replica.call('GET', '/livez');
    assert.deepEqual(await values('apiserver_request_total', { subresource: '/livez', component: '' }), [1]);
    await replica.call('POST', MAPS, { body: { metadata: { name: 'not-weighed' } } });
    assert.deepEqual(await values('apiserver_response_sizes_count', { verb: 'POST' }), []);
    await replica.call('GET', '/api/v1/nodes/none/proxy/');
    assert.deepEqual(await values('apiserver_response_sizes_count', { subresource: 'proxy' }), []);
  });

  it('leave out paths that are not resources, unsupported methods, and requests that are refused early', async () => {
    const ALL = ['_total', '_duration_seconds_count', '_slo_duration_seconds_count'];
    const counted = async () =>
      (await Promise.all(ALL.map((family) => values(`apiserver_request${family}`, {})))).flat();
    const before = await counted();
    const patch = { body: {}, headers: { 'Content-Type': 'text/plain' } };
    assert.equal((await replica.call('GET', MAPS, { token: 'nonsense' })).status, 401);
    assert.equal((await replica.call('GET', MAPS, { token: '' })).status, 403);
    for (const path of ['/version', '/apis', '/api/v1', '/openapi/v3', '/nowhere', '/readyz/ping', '/livez/nope'])
      await replica.call('GET', path);
    assert.equal((await replica.call('OPTIONS', MAPS)).status, 405);
    assert.equal((await replica.call('DELETE', '/api/v1/configmaps')).status, 405);
    assert.equal((await replica.call('PATCH', `${MAPS}/missing`, patch)).status, 415);
    assert.deepEqual(await counted(), before);
  });

  it('distinguish valid and invalid dryRun values', async () => {
    const trial = (dryRun: string) =>
      replica.call('POST', `${MAPS}?dryRun=${dryRun}`, { body: { metadata: { name: 'tried' } } });
    await trial('All');
    await trial('None');
    const writes = () => values('apiserver_request_total', { verb: 'POST', resource: 'configmaps', dry_run: '' });
    const before = (await writes()).reduce((sum, value) => sum + value, 0);
    assert.equal((await trial('')).status, 201);
    assert.equal(
      (await writes()).reduce((sum, value) => sum + value, 0),
      before + 1,
    );
    for (const dry_run of ['All', 'invalid'])
      assert.deepEqual(await values('apiserver_request_total', { resource: 'configmaps', dry_run }), [1]);
  });

  it('do not grow by names that clients invent', async () => {
    for (let i = 0; i < 5; i++) {
      await replica.call('GET', `/apis/made-up-${i}/v1/things`);
      await replica.call('GET', `/api/v1/namespaces/default/things-${i}`);
      await replica.call('GET', `${MAPS}/missing/sub-${i}`);
      await replica.call(`GET`, `/made/up/${i}`);
    }
    const { text } = await replica.call('GET', '/metrics');
    assert.doesNotMatch(text, /made-up|things|sub-\d/);
  });

  it('count open watches', async () => {
    const open = { verb: 'WATCH', resource: 'configmaps' };
    const watches = await Promise.all([0, 1].map(() => replica.watch(`${MAPS}?watch=1`, () => {})));
    assert.deepEqual(await values('apiserver_longrunning_requests', open), [2]);
    for (const watch of watches) watch.close();
    // If this never happens, mocha's time limit ends the test.
    while ((await values('apiserver_longrunning_requests', open))[0] !== 0) await sleep(20);
  });

  it('contain log streams, and the durations of watches', async () => {
    await replica.call('GET', '/api/v1/namespaces/default/pods/missing/log');
    const streams = await values('apiserver_longrunning_requests', { subresource: 'log', verb: 'GET' });
    assert.deepEqual(streams, [0]);
    await replica.call('GET', `${MAPS}?watch=1&timeoutSeconds=1`);
    const [watched = 0] = await values('apiserver_request_duration_seconds_count', { verb: 'WATCH' });
    assert.ok(watched > 0);
  });

  it('contain authentication, etcd requests, deprecated APIs and watch events', async () => {
    const refused = await replica.call('GET', MAPS, { token: 'nonsense' });
    assert.equal(refused.status, 401);
    await replica.call('GET', '/apis/autoscaling/v2beta2/horizontalpodautoscalers');
    let events = 0;
    const watch = await replica.watch(`${MAPS}?watch=1`, () => events++);
    await replica.call('POST', MAPS, { body: { metadata: { name: 'watched' } } });
    for (let i = 0; i < 600 && events === 0; i++) await sleep(50);
    watch.close();
    const expected: readonly [family: string, labels: Record<string, string>][] = [
      ['authentication_attempts', { result: 'success' }],
      ['authentication_attempts', { result: 'error' }],
      ['authentication_duration_seconds_count', { result: 'error' }],
      ['authenticated_user_requests', { username: 'admin' }],
      ['etcd_request_duration_seconds_count', { operation: 'create', type: '*core.ConfigMap' }],
      ['apiserver_requested_deprecated_apis', { resource: 'horizontalpodautoscalers', removed_release: '1.26' }],
      ['apiserver_watch_events_total', { kind: 'ConfigMap', version: 'v1' }],
      ['apiserver_watch_events_sizes_count', { kind: 'ConfigMap' }],
      ['apiserver_init_events_total', { resource: '*core.ConfigMap' }],
      ['apiserver_watch_cache_events_dispatched_total', { resource: '*core.ConfigMap' }],
      ['apiserver_request_filter_duration_seconds_count', { filter: 'authorization' }],
      ['apiserver_request_slo_duration_seconds_count', { resource: 'configmaps', verb: 'POST' }],
      ['field_validation_request_duration_seconds_count', { enabled: 'true' }],
      ['apiserver_open_connections', { protocol: 'http/1.1' }],
    ];
    for (const [family, labels] of expected) {
      const [value = 0] = await values(family, labels);
      assert.ok(value > 0, `${family} ${JSON.stringify(labels)}`);
    }
    assert.deepEqual(await values('aggregator_unavailable_apiservice', { name: 'v1.apps' }), [0]);
  });

  it('contain how many objects lists read and return', async () => {
    const body = (name: string) => ({ metadata: { name, labels: { name } }, type: 'test/listed' });
    const secrets = '/api/v1/namespaces/default/secrets';
    for (const name of ['a', 'b', 'c'])
      assert.equal((await replica.call('POST', secrets, { body: body(name) })).status, 201);
    for (const query of ['', '?limit=1', '?labelSelector=name=a', '?fieldSelector=type=test/listed'])
      assert.equal((await replica.call('GET', `${secrets}${query}`)).status, 200);
    const of = { resource_prefix: '/secrets' };
    const sum = async (family: string) => (await values(family, of)).reduce((a, b) => a + b, 0);
    assert.equal(await sum('apiserver_cache_list_total'), 4);
    assert.equal(await sum('apiserver_cache_list_returned_objects_total'), 3 + 1 + 1 + 3);
    const fetched = await sum('apiserver_cache_list_fetched_objects_total');
    assert.ok(fetched >= 8 && fetched <= 10, `${fetched}`);
  });

  it('are compressed if the client accepts it', async () => {
    const sent = await replica.bytes('/metrics', { 'Accept-Encoding': 'gzip' });
    const text = gunzipSync(sent).toString();
    assert.ok(text.length > 5 * sent.length);
    assert.match(text, /^apiserver_request_total\{/m);
    assert.equal((await replica.call('HEAD', '/metrics')).text, '');
  });

  it('contain the size of the etcd database', async () => {
    const sizes = await values('etcd_db_total_size_in_bytes', { endpoint: etcd.endpoint });
    assert.equal(sizes.length, 1);
    assert.ok(sizes[0]! > 0);
  });
});

describe('metrics with limits', function () {
  this.timeout(90_000);

  it('contain only what the flags allow', async () => {
    const etcd = await startBootstrappedEtcd();
    const replica = await startReplica(
      etcd.endpoint,
      '--disabled-metrics=apiserver_response_sizes',
      '--allow-metric-labels=apiserver_request_total,resource=secrets',
      '--etcd-count-metric-poll-period=0',
      '--etcd-db-metric-poll-interval=0',
    );
    await replica.call('GET', MAPS);
    await replica.call('GET', '/api/v1/namespaces/default/secrets');
    const { text } = await replica.call('GET', '/metrics');
    assert.doesNotMatch(text, /apiserver_response_sizes|apiserver_storage_objects|etcd_db_total_size_in_bytes/);
    const counted = text.split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
    const resources = counted.map((line) => /resource="([^"]*)"/.exec(line)?.[1]);
    assert.deepEqual([...new Set(resources)].sort(), ['secrets', 'unexpected']);
    await replica.stop();
    await etcd.stop();
  });
});

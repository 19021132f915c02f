import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectedClient, connect } from '#client/client.ts';
import { coordinationV1, coreV1 } from '#client/generated/resources.ts';
import { adminConnection } from '#client/testing/test-connection.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { apiRequest } from '#scripts/api-request.ts';
import { managerProcessFlags, startManagerProcess } from '#scripts/manager-process.ts';
import type { Background } from '#scripts/processes.ts';
import { programToTest } from '#scripts/programs.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import { freePort } from '#storage-etcd/testing/etcd-process.ts';

describe('controller manager', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'manager-'));
  const managers: { readonly process: Background; readonly port: number }[] = [];
  let replica: TestReplica;
  let client: ConnectedClient;
  after(async () => {
    await Promise.all(managers.map(({ process }) => process.stop()));
    await client?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  aroundAll((started) => {
    replica = started;
  });
  before(async () => {
    client = await connect(adminConnection(replica));
  });

  async function start(...more: string[]) {
    const port = await freePort();
    const flags = [...managerProcessFlags(testNaming, testPki(), { apiPort: replica.port, port }), ...more];
    const { main } = programToTest('controllers/main');
    const process = startManagerProcess('manager', main, flags, path.join(folder, `${managers.length}.log`));
    managers.push({ process, port });
    return { process, port };
  }
  const get = (port: number, at: string) => apiRequest(testPki(), port, 'GET', at);
  const isReady = (port: number) =>
    get(port, '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
  const leads = async (port: number) =>
    (await get(port, '/metrics')).body.includes('leader_election_master_status{name="orch-controller-manager"} 1');

  it('works in one instance, fails over to another, and answers requests that are authorized', async () => {
    const first = await start('--logging-format=json');
    await waitUntil('the first is ready', () => isReady(first.port), 60_000);
    await waitUntil('it leads', () => leads(first.port), 60_000);
    const second = await start();
    await waitUntil('the second is ready', () => isReady(second.port), 60_000);
    assert.equal(await leads(second.port), false);

    const namespaces = client.resource(coreV1.namespaces);
    const acted = async (namespace: string) => {
      await namespaces.create({ metadata: { name: namespace } });
      const account = client.resource(coreV1.serviceaccounts).in(namespace);
      await waitUntil(`${namespace} has its account`, () => account.get('default').catch(() => undefined), 60_000);
    };
    await acted('a');
    const { body, status } = await get(first.port, '/metrics');
    assert.equal(status, 200);
    for (const family of ['workqueue_adds_total', 'workqueue_depth', 'workqueue_queue_duration_seconds_count'])
      assert.match(body, new RegExp(`^${family}\\{name="serviceaccount"`, 'm'));
    const host = `host="127.0.0.1:${replica.port}"`;
    assert.match(body, new RegExp(`^rest_client_requests_total\\{code="201",${host},method="POST"\\} [1-9]`, 'm'));
    assert.match(body, new RegExp(`^rest_client_request_duration_seconds_count\\{${host},verb="GET"\\} [1-9]`, 'm'));
    const anonymous = { rejectUnauthorized: false };
    const bare = async (at: string, headers: Record<string, string> = {}, method = 'GET') => {
      const { request } = await import('node:https');
      return new Promise<number>((resolve, reject) => {
        const sent = request({
          ...anonymous,
          ...{ host: '127.0.0.1', port: first.port, agent: false },
          method,
          path: at,
          headers,
        });
        sent.on('response', (answer) => {
          answer.resume();
          assert.equal(answer.headers['cache-control'], 'no-cache, private', at);
          resolve(answer.statusCode ?? 0);
        });
        sent.on('error', reject);
        sent.end();
      });
    };
    const token = (name: string) => {
      const line = readFileSync(testPki().file('tokens.csv'), 'utf8')
        .split('\n')
        .find((row) => row.includes(`,${name},`));
      return { authorization: `Bearer ${line?.split(',')[0]}` };
    };
    assert.equal(await bare('/healthz'), 200);
    assert.equal(await bare('/metrics'), 403);
    assert.equal(await bare('/metrics', { authorization: 'Bearer nonsense' }), 401);
    assert.equal(await bare('/metrics', token('bob')), 403);
    assert.equal(await bare('/metrics', token('admin')), 200);
    for (const at of ['/healthz', '/metrics', '/configz'])
      assert.equal(await bare(at, token('admin'), 'POST'), 200, `POST ${at}`);
    const pages: [path: string, status: number, shown: RegExp][] = [
      ['/nothing', 404, /^404 page not found\n$/],
      ['/healthz/ping', 404, /^404 page not found\n$/],
      ['/healthz?verbose', 200, /^\[\+\]leaderElection ok\n(\[\+\]\S+ ok\n)+healthz check passed\n$/],
      ['/configz', 200, /^\{"orchcontrollermanager.config.orch.io":\{"Generic":.*"LeaseDuration":"\d+/],
      ['/debug/pprof/', 200, /<title>\/debug\/pprof\/<\/title>/],
      ['/debug/flags/v', 406, /^unsupported http method\n$/],
    ];
    for (const [at, expected, shown] of pages) {
      assert.equal(await bare(at, token('admin')), expected, at);
      assert.equal(await bare(at, token('bob')), at.startsWith('/healthz?') ? 200 : 403, at);
      assert.match((await get(first.port, at)).body, shown, at);
    }

    await first.process.stop();
    assert.equal(first.process.exit(), 'status 0', first.process.tail());
    await waitUntil('the second leads', () => leads(second.port), 60_000);
    const lease = await client.resource(coordinationV1.leases).in('orch-system').get('orch-controller-manager');
    assert.equal(lease.spec?.leaseTransitions, 1);
    const events = client.resource(coreV1.events).in('orch-system');
    const told = async () =>
      (await events.list({ fieldSelector: 'reason=LeaderElection' })).items.map(({ message }) => message);
    const message = `${lease.spec?.holderIdentity} became leader`;
    await waitUntil('it says so', async () => (await told()).includes(message));
    await acted('b');
  });

  it('stops working if it was frozen until another instance took over the lease', async () => {
    const lasting = [
      '--leader-elect-lease-duration=6s',
      '--leader-elect-renew-deadline=4s',
      '--leader-elect-retry-period=1s',
    ];
    for (const { process } of managers) await process.stop();
    const { process: manager, port } = await start(...lasting);
    await waitUntil('it leads', () => leads(port).catch(() => false), 60_000);
    const namespaces = client.resource(coreV1.namespaces);
    const accounts = async () => (await client.resource(coreV1.serviceaccounts).list()).items.length;
    const before = await accounts();
    const names = Array.from({ length: 40 }, (_, i) => `frozen-${i}`);
    const made = names.map((name) => namespaces.create({ metadata: { name } }));
    await Promise.race(made);
    process.kill(manager.pid, 'SIGSTOP');
    await Promise.all(made);
    try {
      const leases = client.resource(coordinationV1.leases).in('orch-system');
      const renewTime = new Date().toISOString().replace('Z', '000Z');
      const taken = { holderIdentity: 'another instance', leaseDurationSeconds: 3600, renewTime };
      // Its deadline must also have passed on its own clock.
      await sleep(5_000);
      await leases.patch('orch-controller-manager', 'merge', { spec: taken });
      const [left, lease] = [await accounts(), await leases.get('orch-controller-manager')];
      assert.ok(left < before + names.length, 'it was frozen with work in mind');
      process.kill(manager.pid, 'SIGCONT');
      await waitUntil('it leads no more', async () => !(await leads(port)), 60_000);
      await sleep(2_000);
      assert.equal(await accounts(), left);
      const { metadata, spec } = await leases.get('orch-controller-manager');
      assert.equal(metadata.resourceVersion, lease.metadata.resourceVersion);
      assert.equal(spec?.holderIdentity, 'another instance');
      const { items } = await client
        .resource(coreV1.configmaps)
        .list({ fieldSelector: 'metadata.name=orch-root-ca.crt' });
      assert.ok(items.filter(({ metadata: { namespace } }) => names.includes(namespace!)).length < names.length);
    } finally {
      process.kill(manager.pid, 'SIGCONT');
    }
  });

  for (const [flags, message] of [
    [['--controllers=nonsense'], /there is no controller "nonsense"/],
    [['--leader-elect-retry-period=1h'], /longer than/],
    [['--kubeconfig=/no/such/file'], /no\/such\/file/],
    [['--logging-format=xml'], /json or text/],
    [['--tls-cert-file='], /belong together/],
  ] as const)
    it(`does not start with ${flags.join(' ')}`, async () => {
      const { process } = await start(...flags);
      await waitUntil('it has ended', () => process.exit() !== undefined, 60_000);
      assert.equal(process.exit(), 'status 1');
      assert.match(process.tail(), message);
    });
});

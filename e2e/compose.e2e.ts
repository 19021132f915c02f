import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD_BALANCER, MANAGERS, MEMBERS, REPLICAS, SCHEDULERS } from '#scripts/compose-services.ts';
import { type ComposeStack, startCompose } from './compose-stack.ts';
import { startClient } from './persistent-client.ts';
import { openWatch } from './watch-stream.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

interface Named {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

describe('deploy/compose.yaml', function () {
  this.timeout(120_000);
  let stack: ComposeStack;
  const acknowledged: string[] = [];

  before(async function () {
    this.timeout(240_000);
    stack = await startCompose();
    await stack.healthy(stack.services, 120);
  });

  after(() => stack?.down());

  async function names(): Promise<string[]> {
    const { status, body } = await stack.entry.request('GET', MAPS);
    assert.equal(status, 200, body);
    return (JSON.parse(body) as { items: Named[] }).items.map(({ metadata }) => metadata.name);
  }

  it('runs three members of etcd, three replicas, a load balancer, two controller managers and two schedulers', () => {
    const wanted = [...REPLICAS, ...MANAGERS, ...MEMBERS, LOAD_BALANCER, ...SCHEDULERS];
    assert.deepEqual(stack.services, wanted);
  });

  it('has all replicas behind the load balancer and in the endpoints of the API service', async () => {
    const metrics = await (await fetch(`${stack.statusUrl}/metrics`)).text();
    const up = [...metrics.matchAll(/^haproxy_server_status\{proxy="replicas",server="(\w+)",state="UP"\} 1$/gm)];
    assert.deepEqual(up.map(([, server]) => server).sort(), ['replica1', 'replica2', 'replica3']);
    const { body } = await stack.entry.request('GET', '/api/v1/namespaces/default/endpoints');
    const [endpoints] = (JSON.parse(body) as { items: { subsets: { addresses: unknown[] }[] }[] }).items;
    assert.equal(endpoints?.subsets[0]?.addresses.length, 3);
  });

  it('allows Prometheus to read only metrics, and controllers more', async () => {
    const status = async (...request: Parameters<ComposeStack['requestAs']>) =>
      (await stack.requestAs(...request)).status;
    assert.equal(await status('prometheus', '/metrics'), 200);
    assert.equal(await status('prometheus', MAPS), 403);
    assert.equal(await status('controller-manager', '/api/v1/pods'), 200);
    assert.equal(await status('controller-manager', '/metrics'), 403);
  });

  it('serves watches through the load balancer', async () => {
    const list = await stack.entry.request('GET', MAPS);
    const { resourceVersion } = (JSON.parse(list.body) as Named).metadata;
    const watch = await openWatch(stack.entry, `${MAPS}?watch=1&resourceVersion=${resourceVersion}`);
    try {
      await stack.entry.request('POST', MAPS, { metadata: { name: 'watched' } });
      const { type, object } = await watch.next();
      assert.deepEqual([type, object.metadata.name], ['ADDED', 'watched']);
    } finally {
      watch.close();
    }
  });

  for (const service of [...REPLICAS, ...MEMBERS]) {
    it(`works while ${service} is down and after it is back`, async () => {
      const client = startClient(stack.entry, service);
      await sleep(500);
      await stack.docker('kill', service);
      await sleep(4_000);
      const without = client.acknowledged.length;
      await stack.docker('start', service);
      await stack.healthy([service], 60);
      await client.stop();
      acknowledged.push(...client.acknowledged);
      assert.deepEqual(client.violations, []);
      assert.ok(client.acknowledged.length > without && without > 1, `${without}, then ${client.acknowledged.length}`);
      // A new leader of etcd needs a second or two. The load balancer removes a dead replica after the same time.
      assert.ok(client.longestPause < 12_000, `${client.longestPause} ms: ${client.failures.join('\n')}`);
    });
  }

  it('closes only the connections of a frozen replica', async () => {
    // Their connections would share the load balancer with those of the test.
    const others = [...MANAGERS, ...SCHEDULERS];
    await Promise.all(others.map((service) => stack.docker('stop', service)));
    const list = await stack.entry.request('GET', MAPS);
    const { resourceVersion } = (JSON.parse(list.body) as Named).metadata;
    const watches = await Promise.all(
      Array.from({ length: 6 }, () => openWatch(stack.entry, `${MAPS}?watch=1&resourceVersion=${resourceVersion}`)),
    );
    try {
      await stack.docker('pause', 'apiserver1');
      // Three checks have to fail.
      await sleep(11_000);
      const created = await stack.entry.request('POST', MAPS, { metadata: { name: 'after-freeze' } });
      assert.equal(created.status, 201, created.body);
      const seen = await Promise.allSettled(watches.map((watch) => watch.next()));
      assert.deepEqual(
        seen.map(({ status }) => status).sort(),
        [...Array(4).fill('fulfilled'), ...Array(2).fill('rejected')],
        'connections are spread evenly',
      );
      for (const result of seen) if (result.status === 'rejected') assert.match(String(result.reason), /ended|aborted/);
    } finally {
      for (const watch of watches) watch.close();
      await stack.docker('unpause', 'apiserver1');
      await Promise.all(others.map((service) => stack.docker('start', service)));
      await stack.healthy(['apiserver1', ...others], 60);
    }
  });

  it('stops a replica without a failed request', async () => {
    const client = startClient(stack.entry, 'leaving');
    await sleep(500);
    await stack.docker('stop', 'apiserver2', '--time=40');
    await sleep(500);
    await stack.docker('start', 'apiserver2');
    await stack.healthy(['apiserver2'], 60);
    await client.stop();
    acknowledged.push(...client.acknowledged);
    assert.deepEqual([...client.failures, ...client.violations], []);
  });

  it('is reachable as soon as the load balancer is back', async () => {
    await stack.docker('kill', LOAD_BALANCER);
    await assert.rejects(stack.entry.request('GET', '/readyz'));
    await stack.docker('start', LOAD_BALANCER);
    await stack.healthy([LOAD_BALANCER], 60);
    assert.equal((await stack.entry.request('GET', '/readyz')).status, 200);
  });

  it('has kept every acknowledged write', async () => {
    assert.ok(acknowledged.length > 50, `${acknowledged.length} objects were created`);
    const found = new Set(await names());
    assert.deepEqual(
      acknowledged.filter((name) => !found.has(name)),
      [],
    );
  });
});

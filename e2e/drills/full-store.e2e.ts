import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { damageIn, storageTool } from '../storage-tool.ts';
import { DrillSystem } from './system.ts';

const FILLER = '/api/v1/namespaces/filler/configmaps';
const FULL = 'the store is full: until there is room again it takes deletions only';

describe('drill: etcd has reached its quota', function () {
  this.timeout(240_000);
  let system: DrillSystem;

  before(async () => {
    system = await DrillSystem.start({
      flags: ['--quota-backend-bytes=16000000'],
      replicaFlags: ['--etcd-compaction-interval=1s'],
    });
  });

  after(() => system?.stop());

  it('refuses writes with a reason, serves reads, and accepts writes when there is space', async () => {
    const { clients, cluster, replicas } = system;
    const [first, second] = replicas;
    const made = await clients.request('POST', '/api/v1/namespaces', { metadata: { name: 'filler' } });
    assert.equal(made.status, 201);
    const data = { filler: 'x'.repeat(200_000) };
    for (let full = false; !full; ) {
      const { status, body } = await clients.request('POST', FILLER, { metadata: { generateName: 'filler-' }, data });
      full = status === 503;
      assert.ok(status === 201 || JSON.parse(body).message === FULL, body);
    }
    clients.begin();
    // Both replicas detect that the store is full, and stay ready, because they must still accept deletions.
    for (const replica of replicas) {
      const { status, body } = await replica.request('POST', FILLER, { metadata: { generateName: 'more-' } });
      assert.deepEqual([status, JSON.parse(body).message], [503, FULL]);
      assert.equal((await replica.request('GET', '/readyz')).status, 200);
    }
    while (clients.writes.failures.size === 0) await sleep(50);
    const read = clients.reads.successes;
    await sleep(2000);
    assert.ok(clients.reads.successes > read, 'reads go on');
    assert.deepEqual([...clients.reads.failures], []);
    assert.deepEqual([...clients.writes.failures.keys()], ['503']);

    // These are the steps of docs/operations.md.
    assert.equal((await first!.request('DELETE', FILLER)).status, 200);
    const { items } = JSON.parse((await second!.request('GET', FILLER)).body);
    assert.deepEqual(items, []);
    await sleep(3000);
    await storageTool('defrag', `--etcd-servers=${cluster.endpoints}`);
    await cluster.control('alarm', 'disarm');
    await clients.recovered('the store is full');
    assert.deepEqual(clients.violations, []);
    assert.deepEqual(await damageIn(`--etcd-servers=${cluster.endpoints}`), []);
  });
});

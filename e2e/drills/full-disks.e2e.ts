import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAPS } from './clients.ts';
import { assertNothingLost } from './nothing-lost.ts';
import { SmallDisk } from './small-disk.ts';
import { DrillSystem } from './system.ts';

const FILLER = '/api/v1/namespaces/filler/configmaps';
/** The size of a disk with room for two preallocated files of the log, and a database. */
const DISK_MB = 190;

describe('drill: the disks of etcd are full', function () {
  this.timeout(240_000);
  const disks: SmallDisk[] = [];
  let system: DrillSystem | undefined;

  before(async function () {
    for (let i = 0; i < 3; i++) {
      const disk = SmallDisk.make(DISK_MB);
      if (disk === undefined) this.skip();
      disks.push(disk);
    }
    system = await DrillSystem.start({ disks: disks.map(({ folder }) => folder) });
    const made = await system.clients.request('POST', '/api/v1/namespaces', { metadata: { name: 'filler' } });
    assert.equal(made.status, 201);
  });

  after(async () => {
    await system?.stop();
    for (const disk of disks) disk.remove();
  });

  const data = { filler: 'x'.repeat(500_000) };
  const write = () => system!.clients.request('POST', FILLER, { metadata: { generateName: 'filler-' }, data });

  it('the disk of the leader: it ends, the others continue, and it comes back when it has space', async () => {
    const { clients, cluster } = system!;
    const full = await cluster.leader();
    clients.begin();
    disks[full]!.fill();
    for (const end = Date.now() + 60_000; !cluster.member(full).ended; ) {
      assert.ok(Date.now() < end, 'it goes on without room');
      await write();
    }
    await clients.recovered('the disk of the leader is full');
    assert.equal((await clients.request('DELETE', FILLER)).status, 200);
    disks[full]!.free();
    await cluster.member(full).restart();
    await assertNothingLost(system!);
  });

  it('all disks: replicas report it at once, and continue when there is space', async () => {
    const { clients, cluster, replicas } = system!;
    clients.begin();
    for (const disk of disks) disk.fill();
    const haveEnded = () => [0, 1, 2].filter((i) => cluster.member(i).ended).length;
    for (const end = Date.now() + 60_000; haveEnded() < 2; ) {
      assert.ok(Date.now() < end, 'they go on without room');
      // A member that ends may delay a request for longer than this client waits.
      await write().catch(() => {});
    }
    while (clients.writes.failures.size === 0) await sleep(50);
    for (const replica of replicas) {
      for (const [method, target, body] of [
        ['POST', MAPS, { metadata: { generateName: 'never-' } }],
        ['GET', MAPS, undefined],
        ['DELETE', `${FILLER}/any`, undefined],
      ] as const) {
        const answer = await replica.request(method, target, body);
        const status = JSON.parse(answer.body);
        assert.deepEqual([status.kind, status.code], ['Status', answer.status], answer.body);
        assert.ok([503, 504].includes(answer.status), `${method} ${target}: ${answer.body}`);
      }
      assert.equal((await replica.request('GET', '/readyz')).status, 500);
    }
    for (const [i, disk] of disks.entries()) {
      disk.free();
      await cluster.kill(i);
    }
    await cluster.launch();
    await clients.recovered('the disks of all are full');
    assert.equal((await clients.request('DELETE', FILLER)).status, 200);
    assert.deepEqual(JSON.parse((await clients.request('GET', FILLER)).body).items, []);
    assert.equal(clients.relists, 0, 'no client lists again');
    await assertNothingLost(system!);
  });
});

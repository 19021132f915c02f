import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageTool } from '../storage-tool.ts';
import { assertNothingLost } from './nothing-lost.ts';
import { DrillSystem } from './system.ts';

/** The longest time after which a replica without its etcd tries again, in milliseconds. */
const READY_MS = 30_000;

describe('drill: etcd members are lost', function () {
  this.timeout(240_000);
  let system: DrillSystem;

  before(async () => {
    system = await DrillSystem.start({ preload: path.resolve(import.meta.dirname, '../clock-ahead.ts') });
  });

  after(() => system?.stop());

  it('the disk of the leader: the member is replaced with all its data', async () => {
    const { clients, cluster } = system;
    await sleep(1000);
    clients.begin();
    const lost = await cluster.leader();
    await cluster.kill(lost);
    await sleep(3000);
    await cluster.replace(lost);
    await clients.recovered('the disk of the leader is lost');
    assert.equal(clients.relists, 0, 'no client lists again');
    await assertNothingLost(system);
    // From here on, another member may fail.
    const next = (lost + 1) % 3;
    await cluster.kill(next);
    clients.begin();
    await clients.recovered('another member is away');
    await cluster.member(next).restart();
  });

  it('two members for an hour: everything continues when they are back, and no client relists', async () => {
    const { clients, cluster, replicas } = system;
    await sleep(1000);
    clients.begin();
    const leader = await cluster.leader();
    const away = [0, 1, 2].filter((i) => i !== leader);
    for (const i of away) await cluster.member(i).freeze();
    await sleep(4000);
    for (const { pid } of replicas) process.kill(pid, 'SIGUSR2');
    await sleep(4000);
    for (const replica of replicas) {
      const { status } = await replica.request('GET', '/readyz');
      assert.equal(status, 500, 'what cannot be asked whether it is up to date gets no connections');
    }
    for (const i of away) cluster.member(i).thaw();
    await clients.recovered('two of three members are away for an hour');
    assert.equal(clients.relists, 0, 'no client lists again');
    // Each replica has its own connections to etcd and tries them again at its own times.
    const giveUpAt = Date.now() + READY_MS;
    for (const replica of replicas)
      while ((await replica.request('GET', '/readyz')).status !== 200) {
        assert.ok(Date.now() < giveUpAt, 'a replica that can reach etcd again is ready again');
        await sleep(100);
      }
    await assertNothingLost(system);
  });

  it('the disks of two members: all are restored from the third, and revisions increase', async () => {
    const { clients, cluster, pki } = system;
    await sleep(1000);
    const survivor = await cluster.leader();
    const dead = [0, 1, 2].filter((i) => i !== survivor);
    clients.begin();
    await cluster.kill(...dead);
    for (const i of dead) await cluster.member(i).remake();
    await sleep(2000);
    const [saved, raised] = [pki.file('survivor.db'), pki.file('raised.db')];
    await storageTool('backup', saved, `--etcd-servers=${cluster.member(survivor).endpoint}`);
    const revision = await cluster.revision();
    await storageTool('raise', saved, String(revision + 1000), raised);
    await cluster.kill(survivor);
    await cluster.restore(raised);
    await cluster.launch();
    await clients.recovered('two of three disks are lost');
    await assertNothingLost(system);
    assert.ok((await cluster.revision()) > revision + 1000);
  });
});

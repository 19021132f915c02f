import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { damageIn, storageTool } from '../storage-tool.ts';
import { MAPS } from './clients.ts';
import { DrillSystem } from './system.ts';

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
}

describe('drill: etcd is restored while replicas run', function () {
  this.timeout(240_000);
  let system: DrillSystem;

  before(async () => {
    system = await DrillSystem.start();
  });

  after(() => system?.stop());

  /** The list that each replica serves. The drill asks each replica until it answers. */
  async function lists(query = ''): Promise<readonly Listed[]> {
    return Promise.all(
      system.replicas.map(async (replica) => {
        for (;;) {
          const answer = await replica.request('GET', `${MAPS}${query}`).catch(() => undefined);
          if (answer?.status === 200) return JSON.parse(answer.body) as Listed;
          await sleep(20);
        }
      }),
    );
  }

  const uids = ({ items }: Listed): string[] => items.map(({ metadata }) => metadata.uid).sort();

  /**
   * Pauses the clients, and lets `putBack` remove all that was written after `saved`. Afterwards the earlier objects
   * exist again, and no replica serves a removed one. Resolves to the last version that was removed.
   */
  async function giveUp(saved: readonly string[], putBack: () => Promise<void>): Promise<number> {
    const { clients } = system;
    let newest = 0;
    await clients.forget(async () => {
      const [abandoned] = await lists();
      newest = Number(abandoned!.metadata.resourceVersion);
      const lost = uids(abandoned!).filter((uid) => !saved.includes(uid));
      assert.ok(lost.length >= 20, `${lost.length} objects are given up`);
      await putBack();
      for (const query of ['', '?resourceVersion=0'])
        for (const list of await lists(query)) assert.deepEqual(uids(list), saved, query);
    });
    return newest;
  }

  it('from a backup: revisions increase, and clients with a later revision must relist', async () => {
    const { clients, cluster, pki, replicas } = system;
    const [file, raised] = [pki.file('backup.db'), pki.file('raised.db')];
    let saved: string[] = [];
    await clients.forget(async () => {
      saved = uids((await lists())[0]!);
      await storageTool('backup', file, `--etcd-servers=${cluster.endpoints}`);
    });
    while (clients.acknowledged.size < 20) await sleep(50);
    clients.begin();
    const newest = await giveUp(saved, async () => {
      await storageTool('raise', file, String((await cluster.revision()) + 1000), raised);
      await cluster.kill(0, 1, 2);
      await cluster.restore(raised);
      await cluster.launch();
    });
    for (const replica of replicas) {
      const { body } = await replica.request('GET', `${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${newest}`);
      const { type, object } = JSON.parse(body);
      assert.deepEqual([type, object.code, object.reason], ['ERROR', 410, 'Expired']);
    }
    await clients.recovered('a backup is restored');
    assert.deepEqual(clients.violations, []);
    assert.deepEqual(await damageIn(`--etcd-servers=${cluster.endpoints}`), []);
  });

  it('from copied disks: replicas detect the change even though the cluster id is the same', async () => {
    const { clients, cluster } = system;
    let saved: string[] = [];
    let putBack: (() => Promise<void>)[] = [];
    await clients.forget(async () => {
      saved = uids((await lists())[0]!);
      await cluster.kill(0, 1, 2);
      putBack = await Promise.all([0, 1, 2].map((i) => cluster.member(i).copyData()));
      await cluster.launch();
    });
    await clients.recovered('all members are started again');
    while (clients.acknowledged.size < 20) await sleep(50);
    clients.begin();
    await giveUp(saved, async () => {
      await cluster.kill(0, 1, 2);
      await Promise.all(putBack.map((disk) => disk()));
      await cluster.launch();
    });
    await clients.recovered('copies of the disks are put back');
  });

  it('from nothing: replicas create the default objects again', async () => {
    const { clients, cluster, replicas } = system;
    clients.begin();
    await clients.forget(async () => {
      await cluster.kill(0, 1, 2);
      await cluster.empty();
      await cluster.launch();
    });
    await clients.recovered('all disks are lost, and no backup is there');
    const made = [
      '/api/v1/namespaces/default',
      '/api/v1/namespaces/orch-system',
      '/api/v1/namespaces/default/services/orch',
    ];
    for (const replica of replicas)
      for (const path of made) assert.equal((await replica.request('GET', path)).status, 200, path);
    assert.deepEqual(await damageIn(`--etcd-servers=${cluster.endpoints}`), []);
  });
});

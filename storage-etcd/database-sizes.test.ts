import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEtcdStore } from './etcd-store.ts';
import { EtcdProcess, freePort } from './testing/etcd-process.ts';

describe('databaseSizes', () => {
  it('returns the size for each member that answers', async () => {
    const etcd = await EtcdProcess.start();
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const store = createEtcdStore({ endpoints: [nobody, etcd.endpoint] });
    try {
      const sizes = await store.databaseSizes();
      assert.deepEqual([...sizes.keys()], [etcd.endpoint]);
      assert.ok(sizes.get(etcd.endpoint)! > 0);
      for (let i = 0; i < 8; i++) await store.create(`/registry/big/${i}`, Buffer.alloc(1_000_000));
      // etcd writes to the file a moment later; if it does not, mocha's time limit ends the test
      while ((await store.databaseSizes()).get(etcd.endpoint)! < 8_000_000) await sleep(20);
    } finally {
      await store.close();
      await etcd.stop();
    }
  });
});

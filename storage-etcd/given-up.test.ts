import assert from 'node:assert/strict';
import { StoreUnavailableError } from '#storage/object-store.ts';
import { createEtcdStore } from './etcd-store.ts';
import { CutProxy } from './testing/cut-proxy.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

describe('a cancelled list', () => {
  it('ends, is not sent to another member, and does not affect other calls', async () => {
    const etcd = await EtcdProcess.start();
    const proxy = await CutProxy.start(Number(new URL(etcd.endpoint).port));
    const store = createEtcdStore({ endpoints: [proxy.endpoint], listTimeoutMs: 600_000, readTimeoutMs: 60_000 });
    try {
      await store.create('/registry/a', Buffer.from('1'));
      proxy.mute();
      const giveUp = new AbortController();
      const given = store.list('/registry/', { signal: giveUp.signal });
      const kept = store.list('/registry/', {});
      setTimeout(() => giveUp.abort(), 50);
      await assert.rejects(given, (error: Error) => {
        assert.ok(error instanceof StoreUnavailableError);
        assert.match(error.message, /gave it up/);
        return true;
      });
      await assert.rejects(store.list('/registry/', { signal: giveUp.signal }), /gave it up/);
      proxy.cut();
      proxy.unmute();
      assert.equal((await kept).items.length, 1);
    } finally {
      await store.close();
      await proxy.close();
      await etcd.stop();
    }
  }).timeout(30_000);
});

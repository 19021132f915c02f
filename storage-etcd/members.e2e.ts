import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataStore } from '#storage/data-store.ts';
import { type Changed, FeedBrokenError, type Revision, type Written } from '#storage/object-store.ts';
import { createEtcdStore } from './etcd-store.ts';
import { EtcdCluster } from './testing/etcd-cluster.ts';

describe('a cluster of three members', function () {
  this.timeout(90_000);
  let cluster: EtcdCluster;
  let store: DataStore | undefined;

  before(async () => {
    cluster = await EtcdCluster.start();
  });

  after(async () => {
    await cluster.stop();
  });

  afterEach(async () => {
    await store?.close();
  });

  it('answers every call while a member is frozen, after at most one timeout', async () => {
    store = createEtcdStore({ endpoints: cluster.endpoints });
    await store.create('/registry/frozen/0', Buffer.from('1'));
    const frozen = cluster.members[0]!;
    const only = createEtcdStore({
      endpoints: [frozen.endpoint],
      readTimeoutMs: 300,
      writeTimeoutMs: 500,
      openTimeoutMs: 500,
    });
    await only.currentRevision();
    await frozen.freeze();
    try {
      const start = Date.now();
      await assert.rejects(only.get('/registry/frozen/0'));
      await assert.rejects(only.create('/registry/frozen/x', Buffer.from('1')));
      await assert.rejects(
        only
          .feed('/registry/', 1, { signal: AbortSignal.timeout(30_000) })
          [Symbol.asyncIterator]()
          .next(),
        FeedBrokenError,
      );
      assert.ok(Date.now() - start < 15_000, `${Date.now() - start} ms`);
      for (let i = 0; i < 6; i++) {
        const some = createEtcdStore({ endpoints: cluster.endpoints, readTimeoutMs: 500, writeTimeoutMs: 3_000 });
        const began = Date.now();
        assert.equal((await some.get('/registry/frozen/0'))?.value.toString(), '1');
        assert.equal((await some.create(`/registry/frozen/a${i}`, Buffer.from('1'))).outcome, 'written');
        assert.ok(Date.now() - began < 15_000, `${Date.now() - began} ms`);
        await some.close();
      }
    } finally {
      frozen.thaw();
      await only.close();
    }
  });

  it('ends the feed of a member that is cut off from the others, and reads stay current', async () => {
    const watched = cluster.members[1]!;
    // The feed uses the member that will be cut off. The calls use all three members.
    const lonely = createEtcdStore({ endpoints: [watched.endpoint] });
    store = createEtcdStore({ endpoints: cluster.endpoints, readTimeoutMs: 500 });
    const after = await store.currentRevision();
    const iterator = lonely.feed('/registry/', after, { signal: AbortSignal.timeout(20_000) })[Symbol.asyncIterator]();
    const first = iterator.next();
    const created = await store.create('/registry/cut/a', Buffer.from('1'));
    assert.equal(created.outcome, 'written');
    assert.equal((await first).value?.revision, created.revision);
    const second = iterator.next();
    second.catch(() => {});
    await cluster.isolate(1);
    try {
      // The store may use any of the members, so the test does this with each of them.
      let expected: Revision = created.revision;
      for (let i = 0; i < 5; i++) {
        const updated: Written | Changed = await store.update('/registry/cut/a', expected, Buffer.from(`${i}`));
        assert.equal(updated.outcome, 'written');
        expected = updated.revision;
        assert.equal((await store.get('/registry/cut/a'))?.value.toString(), `${i}`);
        assert.ok((await store.currentRevision()) >= expected);
      }
      await assert.rejects(second, FeedBrokenError);
      // Another feed, over any member, continues after the end of the earlier one.
      let frontier: Revision = created.revision;
      while (frontier < expected) {
        try {
          for await (const batch of store.feed('/registry/', frontier, { signal: AbortSignal.timeout(30_000) })) {
            frontier = batch.revision;
            if (frontier >= expected) break;
          }
        } catch (error) {
          assert.ok(error instanceof FeedBrokenError, String(error));
        }
      }
      await assert.rejects(lonely.get('/registry/cut/a'));
    } finally {
      cluster.rejoin();
      await lonely.close();
    }
  });

  it('loses no write and repeats none while members are killed one after the other', async () => {
    store = createEtcdStore({ endpoints: cluster.endpoints });
    const writer = store;
    const done: string[] = [];
    let stop = false;
    const writing = (async () => {
      for (let i = 0; !stop; i++) {
        const result = await writer.create(`/registry/killed/${i}`, Buffer.from(`${i}`)).catch(() => undefined);
        if (result) {
          assert.equal(result.outcome, 'written', `create ${i} conflicts with itself`);
          done.push(`/registry/killed/${i}`);
        }
      }
    })();
    for (const member of cluster.members) {
      await sleep(300);
      await member.kill();
      await sleep(300);
      await member.restart();
    }
    // If this never happens, mocha's time limit ends the test.
    while (done.length <= 10) await sleep(50);
    stop = true;
    await writing;
    const { items } = await store.list('/registry/killed/', { keysOnly: true });
    const present = new Set(items.map(({ key }) => key));
    assert.ok(done.every((key) => present.has(key)));
  });
});

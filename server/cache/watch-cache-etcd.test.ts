import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import type { ItemChange } from './item.ts';
import { pod, quietLog } from './testing/objects.ts';
import { WatchCache } from './watch-cache.ts';

const ROOT = '/registry/core/pods/';

describe('WatchCache on etcd', () => {
  let etcd: EtcdProcess;
  let store: DataStore;
  let cache: WatchCache;

  beforeEach(async () => {
    etcd = await EtcdProcess.start();
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
    cache = new WatchCache({
      store,
      prefix: '/registry',
      resources: [{ group: '', plural: 'pods' }],
      log: quietLog,
    });
  });

  afterEach(async () => {
    await cache.stop();
    await store.close();
    await etcd.stop();
  });

  async function write(key: string, n: number): Promise<number> {
    const current = await store.get(ROOT + key);
    const value = Buffer.from(pod(key, n));
    const result = await store.update(ROOT + key, current?.revision ?? 0, value);
    assert.equal(result.outcome, 'written');
    return result.outcome === 'written' ? result.revision : 0;
  }

  /** Resolves as soon as the cache is confirmed again. */
  async function eventually(run: () => Promise<unknown>): Promise<void> {
    for (const end = Date.now() + 10_000; ; await sleep(20)) {
      try {
        await run();
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  it('reads its own writes, and the history before its start', async () => {
    const first = await write('a/x', 1);
    await write('a/x', 2);
    const current = await store.get(`${ROOT}a/x`);
    await store.remove(`${ROOT}a/x`, current!.revision);
    await cache.start();
    const pods = cache.resource('', 'pods');
    await cache.backfill(first);
    assert.deepEqual(
      pods.rangeAt(first, '')?.items.map((item) => item.revision),
      [first],
    );
    const subscription = pods.subscribe(first);
    assert.ok(subscription !== 'gone');
    const revision = await write('a/y', 1);
    assert.equal(await cache.fresh(), revision);
    assert.equal(pods.get('a/y')?.revision, revision);
    assert.deepEqual(
      subscription.next(9).map((change: ItemChange) => change.revision),
      [first + 1, first + 2, revision],
    );
  });

  it('catches up when another process made the last write', async () => {
    await cache.start();
    const other = createEtcdStore({ endpoints: [etcd.endpoint], prefix: '/elsewhere' });
    await other.create('/elsewhere/x', Buffer.from('x'));
    await other.close();
    await cache.fresh();
  });

  it('continues after etcd was unreachable', async () => {
    await write('a/x', 1);
    await cache.start();
    const { subscription } = cache.resource('', 'pods').snapshotAndSubscribe({ scope: '' });
    await etcd.kill();
    await assert.rejects(cache.fresh());
    await etcd.restart();
    await eventually(() => write('a/x', 2));
    await eventually(() => cache.fresh());
    assert.equal(subscription.next(9).length, 1);
    assert.equal(cache.generation, 1);
  });

  it('lists again if the store is replaced by another one', async () => {
    await write('a/x', 1);
    await write('a/y', 1);
    await cache.start();
    const { subscription } = cache.resource('', 'pods').snapshotAndSubscribe({ scope: '' });
    await etcd.stop();
    etcd = await EtcdProcess.start({ clientPort: Number(new URL(etcd.endpoint).port) });
    await eventually(() => write('a/z', 1));
    await eventually(() => cache.fresh());
    assert.deepEqual(
      cache
        .resource('', 'pods')
        .range('')
        .map((item) => item.key),
      ['a/z'],
    );
    assert.ok(subscription.gone);
    await write('a/z', 2);
    await cache.fresh();
  });
});

import assert from 'node:assert/strict';
import type { DataStore } from '#storage/data-store.ts';
import { FeedBrokenError, type ObjectStore, type Revision } from '#storage/object-store.ts';
import { createEtcdStore } from './etcd-store.ts';
import { trustsProgress } from './progress.ts';
import { CutProxy } from './testing/cut-proxy.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

/** Creates the keys `<prefix>0`, `<prefix>1` and so on, each at a separate revision; returns the revisions in order. */
async function fill(store: ObjectStore, prefix: string, count: number): Promise<{ key: string; revision: Revision }[]> {
  const created: { key: string; revision: Revision }[] = [];
  for (let i = 0; i < count; i += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, count - i) }, async (_, j) => {
        const key = `${prefix}${i + j}`;
        const result = await store.create(key, Buffer.alloc(200, `${i + j}|`));
        assert.equal(result.outcome, 'written');
        created.push({ key, revision: result.revision });
      }),
    );
  }
  return created.sort((a, b) => a.revision - b.revision);
}

describe('feeds of etcd', () => {
  let etcd: EtcdProcess;
  let store: DataStore;

  before(async () => {
    etcd = await EtcdProcess.start();
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
  });

  after(async () => {
    await store.close();
    await etcd.stop();
  });

  it('skip and repeat no change when the connection breaks repeatedly', async () => {
    const prefix = '/registry/breaks/';
    const start = await store.currentRevision();
    const created = await fill(store, prefix, 5_000);
    const last = created.at(-1)!.revision;
    const proxy = await CutProxy.start(Number(new URL(etcd.endpoint).port));
    const through = createEtcdStore({ endpoints: [proxy.endpoint] });
    const keys: string[] = [];
    let frontier = start;
    let breaks = 0;
    let cutAt = 100_000;
    // A broken feed may be noticed between batches, so the connection is cut in the middle of one.
    const cutter = setInterval(() => {
      if (proxy.answeredBytes > cutAt) {
        cutAt = proxy.answeredBytes + 200_000;
        proxy.cut();
      }
    }, 1);
    const abort = new AbortController();
    try {
      while (frontier < last) {
        try {
          for await (const batch of through.feed(prefix, frontier, { signal: abort.signal })) {
            assert.ok(batch.revision > frontier);
            for (const change of batch.changes) {
              assert.ok(change.revision > frontier && change.revision <= batch.revision);
              keys.push(change.key);
            }
            frontier = batch.revision;
            if (frontier >= last) break;
          }
        } catch (error) {
          assert.ok(error instanceof FeedBrokenError, String(error));
          breaks += 1;
        }
      }
    } finally {
      clearInterval(cutter);
      await through.close();
      await proxy.close();
    }
    assert.ok(breaks > 0, 'the connection did not break');
    assert.deepEqual(
      keys,
      created.map(({ key }) => key),
    );
  });

  it('combine the fragments of one large revision', async () => {
    const prefix = '/registry/fragments/';
    const start = await store.currentRevision();
    // etcd sends an answer that is larger than its request limit of 1.5 MiB in fragments. Together with the previous
    // values, this answer is twice as large as the limit.
    const write = (fillWith: string) =>
      store.transact(
        [],
        Array.from({ length: 100 }, (_, i) => ({ key: `${prefix}${i}`, value: Buffer.alloc(14_000, fillWith) })),
      );
    await write('a');
    const second = await write('b');
    assert.equal(second.outcome, 'written');
    const abort = new AbortController();
    const sizes: number[] = [];
    for await (const batch of store.feed(prefix, start, { signal: abort.signal, previous: true })) {
      sizes.push(...new Set(batch.changes.map(({ revision }) => revision)));
      assert.equal(batch.changes.length % 100, 0);
      if (batch.revision >= second.revision) abort.abort();
    }
    assert.equal(sizes.length, 2);
  });

  it('report their progress on request, even after changes under other prefixes', async () => {
    const abort = new AbortController();
    const start = await store.currentRevision();
    await store.create('/elsewhere/a', Buffer.from('1'));
    const target = await store.currentRevision();
    const feed = store.feed('/registry/', start, { signal: abort.signal });
    const asking = setInterval(() => feed.requestProgress(), 20);
    let frontier = start;
    try {
      for await (const batch of feed) {
        assert.ok(batch.revision >= frontier);
        frontier = batch.revision;
        if (frontier >= target) abort.abort();
      }
    } finally {
      clearInterval(asking);
    }
    assert.ok(frontier >= target);
  });

  it('never report more progress than they have made, even if asked early', async () => {
    const prefix = '/registry/early/';
    const start = await store.currentRevision();
    const last = (await fill(store, prefix, 2_000)).at(-1)!.revision;
    const abort = new AbortController();
    const feed = store.feed(prefix, start, { signal: abort.signal });
    feed.requestProgress();
    const asking = setInterval(() => feed.requestProgress(), 1);
    let changes = 0;
    try {
      for await (const batch of feed) {
        changes += batch.changes.length;
        assert.ok(batch.revision < last || changes === 2_000, `${changes} changes at ${batch.revision}`);
        if (changes === 2_000) abort.abort();
      }
    } finally {
      clearInterval(asking);
    }
    assert.equal(changes, 2_000);
  });

  it('wait for a slow consumer without losing changes', async () => {
    const prefix = '/registry/slow/';
    const start = await store.currentRevision();
    const abort = new AbortController();
    const iterator = store.feed(prefix, start, { signal: abort.signal })[Symbol.asyncIterator]();
    const first = iterator.next();
    await fill(store, prefix, 1_000);
    let changes = (await first).value?.changes.length ?? 0;
    while (changes < 1_000) changes += (await iterator.next()).value?.changes.length ?? 0;
    assert.equal(changes, 1_000);
    await iterator.return?.();
  });
});

describe('progress notifications', () => {
  for (const [version, trusted] of [
    ['3.4.23', false],
    ['3.4.25', true],
    ['3.4.36', true],
    ['3.5.0', false],
    ['3.5.7', false],
    ['3.5.8', true],
    ['3.5.21', true],
    ['3.6.0-rc.1', true],
    ['3.7.3', true],
    ['4.0.0', true],
    ['', false],
  ] as const) {
    it(`of etcd ${version || 'without a version'} are ${trusted ? '' : 'not '}trusted`, () => {
      assert.equal(trustsProgress(version), trusted);
    });
  }
});

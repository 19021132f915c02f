import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '#storage/object-store.ts';
import type { ItemChange } from './item.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { pod, quietLog } from './testing/objects.ts';
import { NotCaughtUpError, WatchCache } from './watch-cache.ts';

describe('the feed of WatchCache', () => {
  let store: MemoryStore;
  let cache: WatchCache;

  function open(options: Partial<ConstructorParameters<typeof WatchCache>[0]> = {}): WatchCache {
    cache = new WatchCache({
      store,
      prefix: '/registry',
      resources: [
        { group: '', plural: 'pods', extract: (object) => ({ node: String((object['spec'] as { n: number }).n) }) },
        { group: 'apps', plural: 'deployments' },
      ],
      log: quietLog,
      ...options,
    });
    return cache;
  }

  beforeEach(() => {
    store = new MemoryStore();
  });

  afterEach(() => cache.stop());

  const names = (items: readonly { key: string }[]) => items.map((item) => item.key);
  const put = (key: string, n = 0) => store.put(`/registry/core/pods/${key}`, pod(key, n));
  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 3000 && !holds(); i++) await sleep(10);
    assert.ok(holds());
  };

  describe('fresh', () => {
    it('takes two probes for any number of callers', async () => {
      await open().start();
      store.probes = 0;
      const revision = put('a/x');
      const all = await Promise.all(Array.from({ length: 50 }, () => cache.fresh()));
      assert.equal(store.probes, 2);
      assert.ok(all.every((reached) => reached === revision));
      assert.equal(cache.resource('', 'pods').count('a/'), 1);
    });

    it('asks the feed for progress when no change leads to the revision', async () => {
      await open().start();
      store.skipRevision();
      assert.equal(await cache.fresh(), store.revision);
      assert.equal(cache.frontier, store.revision);
    });

    it('fails after a second and reopens the feed; the next calls fail sooner', async () => {
      await open().start();
      store.held = true;
      put('a/x');
      const feeds = store.feeds;
      const started = performance.now();
      await assert.rejects(cache.fresh(), NotCaughtUpError);
      const first = performance.now();
      assert.ok(first - started > 900 && first - started < 10_000);
      await assert.rejects(cache.fresh(), NotCaughtUpError);
      assert.ok(performance.now() - first < first - started);
      await until(() => store.feeds > feeds);
      store.release();
      assert.equal(await cache.fresh(), store.revision);
    });

    it('fails when the store does not answer', async () => {
      await open().start();
      store.down = true;
      await assert.rejects(cache.fresh(), StoreUnavailableError);
      store.down = false;
      await cache.fresh();
    });

    it('resets the time since the cache was last confirmed', async () => {
      let now = 1_000_000;
      await open({ clock: () => now }).start();
      assert.ok(cache.unconfirmedMs < 1000);
      now += 60_000;
      assert.equal(cache.unconfirmedMs, 60_000);
      await cache.fresh();
      assert.ok(cache.unconfirmedMs < 1000);
      now += 60_000;
      store.down = true;
      await assert.rejects(cache.fresh());
      assert.equal(cache.unconfirmedMs, 60_000);
      store.down = false;
      await until(() => cache.unconfirmedMs < 60_000); // It is confirmed in the background.
    });

    it('does not reduce the time since the last confirmation if the clock is set back', async () => {
      let now = 1_000_000;
      await open({ clock: () => now }).start();
      store.down = true;
      now -= 500_000;
      await sleep(50);
      assert.ok(cache.unconfirmedMs >= 49);
      store.down = false;
      await cache.fresh();
      assert.ok(cache.unconfirmedMs < 49, 'confirmed although the clock shows less than before');
    });
  });

  describe('when the feed breaks', () => {
    it('continues after the last revision', async () => {
      await open().start();
      const subscription = cache.resource('', 'pods').snapshotAndSubscribe({ scope: '' }).subscription;
      const seen: ItemChange[] = [];
      for (let i = 0; i < 20; i++) {
        put(`a/${i}`);
        if (i % 5 === 0) store.breakFeeds();
        if (i % 3 === 0) await sleep(1);
      }
      await cache.fresh();
      seen.push(...subscription.next(100));
      assert.deepEqual(
        seen.map((change) => change.item?.key),
        Array.from({ length: 20 }, (_, i) => `a/${i}`),
      );
      assert.equal(cache.generation, 1);
    });

    it('waits while the store is down', async () => {
      await open().start();
      store.down = true;
      store.breakFeeds();
      await sleep(100);
      store.down = false;
      put('a/x');
      await cache.fresh();
      assert.equal(cache.resource('', 'pods').count(''), 1);
    });

    it('lists again if its last revision is compacted', async () => {
      put('a/kept');
      await open().start();
      const pods = cache.resource('', 'pods');
      const kept = pods.get('a/kept');
      const { subscription } = pods.snapshotAndSubscribe({ scope: 'a/' });
      let signalled = 0;
      let relisted = 0;
      subscription.onReady(() => signalled++);
      cache.onRelist(() => relisted++);
      store.held = true;
      put('a/x');
      store.compact(put('a/y'));
      store.breakFeeds();
      store.release();
      await until(() => cache.generation === 2);
      await cache.fresh();
      assert.deepEqual(names(pods.range('')), ['a/kept', 'a/x', 'a/y']);
      assert.equal(pods.get('a/kept'), kept, 'unchanged items stay');
      assert.ok(subscription.gone);
      assert.deepEqual(subscription.next(10), []);
      assert.deepEqual([signalled, relisted, cache.generation, cache.stats.relists], [1, 1, 2, 1]);
      assert.equal(cache.stats.subscriptions, 0);
    });
  });

  for (const [what, id] of [
    ['an older state of the store', 'first'],
    ['another store', 'second'],
  ] as const) {
    it(`drops everything if the feed shows ${what}`, async () => {
      const backup = put('a/x', 1);
      put('a/x', 2);
      put('a/y');
      await open().start();
      const pods = cache.resource('', 'pods');
      const subscription = pods.snapshotAndSubscribe({ scope: '' }).subscription;
      store.restore(backup, id);
      if (id === 'second') {
        put('a/z');
        put('a/z', 2);
        store.breakFeeds();
      } else await assert.rejects(cache.fresh(), NotCaughtUpError);
      await until(() => cache.generation === 2);
      assert.equal(await cache.fresh(), store.revision);
      assert.equal(pods.get('a/x')?.fields?.['node'], '1');
      assert.deepEqual(names(pods.range('')), id === 'second' ? ['a/x', 'a/z'] : ['a/x']);
      assert.ok(subscription.gone);
      put('a/new');
      await cache.fresh();
      assert.ok(pods.get('a/new'));
    });
  }

  const histories: readonly [what: string, rewrite: () => void, expected: string[]][] = [
    ['other keys', () => put('a/z'), ['a/x', 'a/z']],
    ['the same key, at the same revision', () => put('a/y', 3), ['a/x', 'a/y']],
  ];
  for (const [what, rewrite, expected] of histories) {
    it(`drops everything if a restored store has a later revision with ${what}`, async () => {
      const backup = put('a/x', 1);
      put('a/y', 2);
      await open().start();
      const pods = cache.resource('', 'pods');
      const { subscription } = pods.snapshotAndSubscribe({ scope: '' });
      store.restore(backup);
      rewrite();
      store.breakFeeds();
      while (cache.generation === 1) await sleep(5);
      await cache.fresh();
      assert.deepEqual(names(pods.range('')), expected);
      if (expected.includes('a/y')) assert.equal(pods.get('a/y')?.fields?.['node'], '3');
      assert.ok(subscription.gone);
    });
  }

  it('continues if the store is ahead in the same history', async () => {
    put('a/x', 1);
    const gone = put('a/y', 2);
    await open().start();
    for (const change of [() => put('a/x', 2), () => store.put('/registry/core/pods/a/y', undefined)]) {
      store.held = true;
      change();
      store.breakFeeds();
      store.release();
      await cache.fresh();
    }
    assert.equal(cache.generation, 1);
    assert.ok(cache.frontier > gone);
    assert.deepEqual(names(cache.resource('', 'pods').range('')), ['a/x']);
  });
});

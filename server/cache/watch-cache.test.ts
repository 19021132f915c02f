import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '#storage/object-store.ts';
import type { ItemChange } from './item.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { pod, quietLog } from './testing/objects.ts';
import { NotCaughtUpError, WatchCache } from './watch-cache.ts';

describe('WatchCache', () => {
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
  const remove = (key: string) => store.put(`/registry/core/pods/${key}`, undefined);
  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 3000 && !holds(); i++) await sleep(10);
    assert.ok(holds());
  };

  it('serves what the store has, with resource versions and without kinds', async () => {
    put('a/x', 7);
    store.put('/registry/claims/ip/1', 'claimed');
    await open().start();
    const item = cache.resource('', 'pods').get('a/x')!;
    assert.equal(item.apiVersion, 'v1');
    assert.deepEqual(item.labels, { app: 'x' });
    assert.deepEqual(item.fields, { node: '7' });
    assert.deepEqual(JSON.parse(item.body.toString()), {
      metadata: { name: 'x', namespace: 'a', uid: 'uid-a/x', resourceVersion: '2', labels: { app: 'x' } },
      spec: { n: 7 },
    });
    assert.deepEqual(cache.parsed(item), JSON.parse(item.body.toString()));
    assert.equal(cache.frontier, store.revision);
    assert.ok(cache.ready);
  });

  it('follows changes, and other keys move the frontier', async () => {
    await open().start();
    const pods = cache.resource('', 'pods');
    put('b/y');
    put('a/x');
    remove('b/y');
    const revision = store.put('/registry/claims/ip/1', 'claimed');
    assert.ok(await cache.waitFor(revision, 1000));
    assert.deepEqual(names(pods.range('')), ['a/x']);
  });

  it('skips values that cannot be read, and removes what they replace', async () => {
    put('a/x');
    store.put('/registry/core/pods/a/broken', '{"kind":');
    await open().start();
    const pods = cache.resource('', 'pods');
    assert.deepEqual(names(pods.range('')), ['a/x']);
    store.put('/registry/core/pods/a/x', 'nonsense');
    await cache.fresh();
    assert.equal(pods.count(''), 0);
  });

  it('reads objects when their labels are first used, or ahead of that, and drops those that cannot be read', async () => {
    put('a/x', 7);
    store.put('/registry/core/pods/a/torn', '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"torn"},"spec":{"n":');
    await open().start();
    const pods = cache.resource('', 'pods');
    const [torn, x] = pods.range('');
    assert.deepEqual([x!.fields, x!.uid, x!.readable], [{ node: '7' }, 'uid-a/x', true]);
    assert.deepEqual([torn!.labels, torn!.uid, torn!.readable], [undefined, '', false]);
    await cache.readAhead();
    assert.deepEqual(names(pods.range('')), ['a/x']);
    put('a/torn', 1);
    await cache.fresh();
    assert.deepEqual(names(pods.range('')), ['a/torn', 'a/x']);
  });

  it('reads its own writes on first use, everything else at once', async () => {
    const read: string[] = [];
    const extract = (_: object, key: string) => {
      read.push(key);
      return {};
    };
    await open({ resources: [{ group: '', plural: 'pods', extract }] }).start();
    const pods = cache.resource('', 'pods');
    const expect = (key: string, n: number) => cache.expectOwn(`/registry/core/pods/${key}`, Buffer.from(pod(key, n)));
    const forget = expect('a/own', 1);
    expect('a/changed', 1);
    expect('a/over', 1)();
    put('a/own', 1);
    put('a/changed', 2);
    put('a/over', 1);
    put('a/other', 1);
    await cache.fresh();
    assert.deepEqual(read, ['a/changed', 'a/over', 'a/other']);
    assert.deepEqual(pods.get('a/own')?.labels, { app: 'own' });
    assert.deepEqual(read.at(-1), 'a/own');
    forget();
    put('a/own', 1);
    await cache.fresh();
    assert.equal(read.length, 5);
  });

  it('knows the changes before its start', async () => {
    put('a/x', 1);
    const first = put('a/y', 1);
    put('a/x', 2);
    remove('a/y');
    await open().start();
    const pods = cache.resource('', 'pods');
    assert.equal(pods.subscribe(first), 'gone', 'it is not read yet');
    await cache.backfill(first);
    assert.deepEqual(names(pods.rangeAt(first, '')!.items), ['a/x', 'a/y']);
    const subscription = pods.subscribe(first);
    assert.ok(subscription !== 'gone');
    assert.deepEqual(
      subscription.next(10).map((change) => [change.item?.key, change.previous?.key]),
      [
        ['a/x', 'a/x'],
        [undefined, 'a/y'],
      ],
    );
    assert.equal(pods.rangeAt(first, '')!.items[0]!.fields?.['node'], '1');
  });

  it('asks the store once about the past, however many ask for it, and again when that failed', async () => {
    const first = put('a/x', 1);
    put('a/x', 2);
    store.compact(first);
    const asked = mock.method(store, 'oldestRevision');
    await open().start();
    asked.mock.mockImplementationOnce(() => Promise.reject(new StoreUnavailableError('not now')));
    await cache.backfill(first);
    assert.equal(cache.resource('', 'pods').subscribe(first), 'gone');
    await Promise.all([first, first - 1, first].map((since) => cache.backfill(since)));
    await cache.backfill(first - 1);
    assert.equal(cache.resource('', 'pods').historyStart, first);
    assert.equal(asked.mock.callCount(), 2);
  });

  it('begins its history where the store is compacted', async () => {
    put('a/x', 1);
    put('a/x', 2);
    const compacted = put('a/y');
    store.compact(compacted);
    put('a/y', 2);
    await open().start();
    const pods = cache.resource('', 'pods');
    await cache.backfill(compacted - 1);
    assert.equal(pods.historyStart, cache.frontier, 'the store does not have it');
    await cache.backfill(compacted);
    assert.equal(pods.historyStart, compacted);
    assert.equal(pods.subscribe(compacted - 1), 'gone');
    assert.notEqual(pods.subscribe(compacted), 'gone');
  });

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

    it('fails after a second and reopens the feed; the next ones wait less', async () => {
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

    it('is recorded', async () => {
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
      await until(() => cache.unconfirmedMs < 60_000); // confirmed in the background
    });

    it('does not look newer because the clock was set back', async () => {
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
    it('goes on after the last revision', async () => {
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

    it('lists again when its place is compacted away', async () => {
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
    it(`drops everything for ${what}`, async () => {
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
    it(`drops everything where a restored store has gone on past it with ${what}`, async () => {
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

  it('goes on where the store has gone on in the same history', async () => {
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

  it('reads what selectors see in turns with others, after each time that it was filled', async () => {
    for (let i = 0; i < 20_000; i++) put(`a/${i}`);
    await open().start();
    const pods = cache.resource('', 'pods');
    for (let filled = 1; filled <= 2; filled++) {
      let turns = 0;
      let done = false;
      const count = (): void => {
        turns++;
        if (!done) setImmediate(count);
      };
      setImmediate(count);
      await Promise.all([pods.readAhead(), pods.readAhead()]);
      done = true;
      // the first 20,000 take some fifty milliseconds, of which no turn may take more than a few
      assert.ok(turns > 2, `${turns} turns`);
      assert.equal(pods.readAhead(), undefined);
      if (filled === 2) break;
      store.restore(store.revision, 'second');
      store.breakFeeds();
      while (cache.generation === 1) await sleep(5);
    }
  });

  describe('resources added at run time', () => {
    it('are listed and followed', async () => {
      const key = (name: string) => `/registry/example/things/${name}`;
      store.put(key('one'), pod('one', 1));
      await open().start();
      const adding = cache.addResource({ group: 'example', plural: 'things' });
      store.put(key('two'), pod('two', 1));
      store.put(key('one'), pod('one', 2));
      const things = await adding;
      await cache.fresh();
      assert.deepEqual(names(things.range('')), ['one', 'two']);
      store.put(key('one'), undefined);
      await cache.fresh();
      assert.deepEqual(names(things.range('')), ['two']);
      const { subscription } = things.snapshotAndSubscribe({ scope: '' });
      cache.removeResource('example', 'things');
      assert.ok(subscription.gone);
      assert.throws(() => cache.resource('example', 'things'));
    });

    it('survive a relist meanwhile', async () => {
      store.put('/registry/example/things/one', pod('one', 1));
      await open().start();
      store.put('/registry/claims/x', 'y');
      await cache.fresh();
      store.restore(store.revision - 1);
      store.breakFeeds();
      const things = await cache.addResource({ group: 'example', plural: 'things' });
      await until(() => cache.generation === 2);
      await cache.fresh();
      assert.deepEqual(names(things.range('')), ['one']);
    });
  });

  describe('resources of others', () => {
    const key = (name: string) => `/registry/stable.example.com/things/${name}`;
    const things = () => cache.resource('stable.example.com', 'things');

    it('are cached from their first key on, and show it without being listed', async () => {
      store.put(key('early'), pod('early', 1));
      await open().start();
      store.put(key('late'), pod('late', 1));
      await cache.fresh();
      assert.deepEqual(names(things().range('')), ['early', 'late']);
      assert.equal(await cache.addResource({ group: 'stable.example.com', plural: 'things' }), things());
    });

    it('know what they were before they were first used', async () => {
      await open().start();
      const { frontier } = cache;
      store.put(key('one'), pod('one', 1));
      store.put(key('one'), undefined);
      store.put(key('two'), pod('two', 1));
      await cache.fresh();
      const subscription = things().subscribe(frontier);
      assert.ok(subscription !== 'gone');
      assert.deepEqual(
        subscription.next(10).map(({ item }) => item?.key),
        ['one', undefined, 'two'],
      );
      // and of those that have had no objects it is known as well
      assert.notEqual(cache.resource('stable.example.com', 'others').subscribe(frontier), 'gone');
    });

    it('have a past before the start, too', async () => {
      const before = store.put(key('one'), pod('one', 1));
      store.put(key('one'), pod('one', 2));
      store.put(key('one'), undefined);
      await open().start();
      assert.equal(things().subscribe(before), 'gone');
      await cache.backfill(before);
      const subscription = things().subscribe(before);
      assert.ok(subscription !== 'gone');
      assert.equal(subscription.next(10).length, 2);
    });

    it('are there after a relist, with and without objects', async () => {
      await open().start();
      store.put(key('one'), pod('one', 1));
      await cache.fresh();
      const empty = cache.resource('stable.example.com', 'others');
      store.put('/registry/claims/x', 'y');
      await cache.fresh();
      store.restore(store.revision - 1);
      store.put('/registry/new.example.com/things/x', pod('x', 1));
      store.breakFeeds();
      await until(() => cache.generation === 2);
      await cache.fresh();
      assert.deepEqual(names(things().range('')), ['one']);
      assert.deepEqual(names(cache.resource('new.example.com', 'things').range('')), ['x']);
      assert.notEqual(empty.subscribe(cache.frontier), 'gone');
    });

    it('end their watchers when they are removed, and are there again when they come back', async () => {
      await open().start();
      store.put(key('one'), pod('one', 1));
      await cache.fresh();
      const { subscription } = things().snapshotAndSubscribe({ scope: '' });
      cache.removeResource('stable.example.com', 'things');
      assert.ok(subscription.gone);
      assert.deepEqual(names(things().range('')), ['one']);
      store.put(key('one'), undefined);
      await cache.fresh();
      const { frontier } = cache;
      cache.removeResource('stable.example.com', 'things');
      // the deletion is forgotten: the resource must not look as if it never changed
      assert.equal(things().subscribe(frontier - 1), 'gone');
      assert.notEqual(things().subscribe(frontier), 'gone');
    });
  });

  describe('resources that are added while others are served', () => {
    const key = (name: string) => `/registry/example/things/${name}`;
    const spec = { group: 'example', plural: 'things' };

    it('are filled for each caller that adds them', async () => {
      store.put(key('one'), pod('one', 1));
      await open().start();
      const first = cache.addResource(spec);
      assert.deepEqual(names((await cache.addResource(spec)).range('')), ['one']);
      await first;
    });

    it('have a past for those who come with older revisions', async () => {
      const before = store.put(key('one'), pod('one', 1));
      await open().start();
      store.put(key('one'), pod('one', 2));
      store.put(key('two'), pod('two', 1));
      const resource = await cache.addResource(spec);
      assert.equal(resource.subscribe(before), 'gone');
      await cache.backfill(before);
      const subscription = resource.subscribe(before);
      assert.ok(subscription !== 'gone');
      assert.equal(subscription.next(10).length, 2);
    });
  });

  it('tells listeners of each change before the frontier is there, whatever they do', async () => {
    await open().start();
    const seen: string[] = [];
    cache.onApply(() => {
      throw new Error('on purpose');
    });
    const end = cache.onApply(({ group, plural, key, revision, item, previous }) => {
      assert.ok(cache.frontier < revision);
      seen.push(`${group}/${plural}/${key} ${previous?.revision !== undefined} ${item?.revision === revision}`);
    });
    store.put('/registry/core/pods/a/one', pod('a/one', 1));
    store.put('/registry/core/pods/a/one', pod('a/one', 2));
    store.put('/registry/core/pods/a/one', undefined);
    store.put('/registry/stable.example.com/things/x', pod('x', 1));
    await cache.fresh();
    end();
    store.put('/registry/core/pods/a/two', pod('a/two', 1));
    await cache.fresh();
    assert.deepEqual(seen, [
      '/pods/a/one false true',
      '/pods/a/one true true',
      '/pods/a/one true false',
      'stable.example.com/things/x false true',
    ]);
  });

  it('waits at its start for a store that is down', async () => {
    store.down = true;
    const started = open().start();
    await sleep(50);
    assert.ok(!cache.ready);
    store.down = false;
    await started;
    assert.ok(cache.ready);
  });
});

import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '#storage/object-store.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { pod, quietLog } from './testing/objects.ts';
import { WatchCache } from './watch-cache.ts';

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

  it('serves the stored objects, with resource versions and without kinds', async () => {
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

  it('follows changes, and moves its frontier at changes of other keys', async () => {
    await open().start();
    const pods = cache.resource('', 'pods');
    put('b/y');
    put('a/x');
    remove('b/y');
    const revision = store.put('/registry/claims/ip/1', 'claimed');
    assert.ok(await cache.waitFor(revision, 1000));
    assert.deepEqual(names(pods.range('')), ['a/x']);
  });

  it('skips values that cannot be read, and removes the objects that they replace', async () => {
    put('a/x');
    store.put('/registry/core/pods/a/broken', '{"kind":');
    await open().start();
    const pods = cache.resource('', 'pods');
    assert.deepEqual(names(pods.range('')), ['a/x']);
    store.put('/registry/core/pods/a/x', 'nonsense');
    await cache.fresh();
    assert.equal(pods.count(''), 0);
  });

  it('reads objects when their labels are first used or ahead of time, and drops unreadable ones', async () => {
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

  it('parses its own writes when they are first used, and all other changes at once', async () => {
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

  it('reads the changes before its start from the store', async () => {
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

  it('reads the history from the store once for many callers, and again after a failure', async () => {
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

  it('starts its history at the revision where the store is compacted', async () => {
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

  it('reads the metadata for selectors in slices, and again after the cache is filled again', async () => {
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
      // The first 20,000 take some fifty milliseconds, but no turn may take more than a few.
      assert.ok(turns > 2, `${turns} turns`);
      assert.equal(pods.readAhead(), undefined);
      if (filled === 2) break;
      store.restore(store.revision, 'second');
      store.breakFeeds();
      while (cache.generation === 1) await sleep(5);
    }
  });

  it('calls listeners with each change before the frontier moves, even if another listener throws', async () => {
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

  it('waits at its start until the store is up', async () => {
    store.down = true;
    const started = open().start();
    await sleep(50);
    assert.ok(!cache.ready);
    store.down = false;
    await started;
    assert.ok(cache.ready);
  });
});

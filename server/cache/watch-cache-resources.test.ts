import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryStore } from './testing/memory-store.ts';
import { pod, quietLog } from './testing/objects.ts';
import { WatchCache } from './watch-cache.ts';

describe('resources added to WatchCache', () => {
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
  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 3000 && !holds(); i++) await sleep(10);
    assert.ok(holds());
  };

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

    it('are served if the cache lists everything again while they are added', async () => {
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

  describe('resources without a definition', () => {
    const key = (name: string) => `/registry/stable.example.com/things/${name}`;
    const things = () => cache.resource('stable.example.com', 'things');

    it('are cached from their first key on, and served without a list of the store', async () => {
      store.put(key('early'), pod('early', 1));
      await open().start();
      store.put(key('late'), pod('late', 1));
      await cache.fresh();
      assert.deepEqual(names(things().range('')), ['early', 'late']);
      assert.equal(await cache.addResource({ group: 'stable.example.com', plural: 'things' }), things());
    });

    it('have the history from before they are first requested', async () => {
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
      // The history also covers resources that have had no objects.
      assert.notEqual(cache.resource('stable.example.com', 'others').subscribe(frontier), 'gone');
    });

    it('have the history from before the start of the cache', async () => {
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

    it('are served after the cache lists again, both with and without objects', async () => {
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

    it('end their watches when they are removed, and are served when they come back', async () => {
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
      // The deletion is no longer remembered. The resource must not look as if it had never changed.
      assert.equal(things().subscribe(frontier - 1), 'gone');
      assert.notEqual(things().subscribe(frontier), 'gone');
    });
  });

  describe('resources that are added while others are served', () => {
    const key = (name: string) => `/registry/example/things/${name}`;
    const spec = { group: 'example', plural: 'things' };

    it('are filled before each addResource() call resolves', async () => {
      store.put(key('one'), pod('one', 1));
      await open().start();
      const first = cache.addResource(spec);
      assert.deepEqual(names((await cache.addResource(spec)).range('')), ['one']);
      await first;
    });

    it('have a history for clients with older revisions', async () => {
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
});

import assert from 'node:assert/strict';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { ItemChange } from './item.ts';
import type { Subscription } from './resource-cache.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { pod, quietLog } from './testing/objects.ts';
import { WatchCache } from './watch-cache.ts';

const ROOT = '/registry/core/pods/';

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3');
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('put' as const), key, n: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const), keys: fc.subarray(['a/1', 'a/3', 'b/2']) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('break', 'hold', 'release', 'turn', 'other') }) },
);
const steps = fc.array(step, { minLength: 1, maxLength: 80, size: 'max' });

async function perform(store: MemoryStore, all: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) {
  for (const action of all) {
    if (action.do === 'put') store.put(ROOT + action.key, pod(action.key, action.n));
    else if (action.do === 'remove') store.put(ROOT + action.key, undefined);
    else if (action.do === 'expire') store.putAll(action.keys.map((name) => [ROOT + name, undefined] as const));
    else if (action.do === 'break') store.breakFeeds();
    else if (action.do === 'hold') store.held = true;
    else if (action.do === 'release') store.release();
    else if (action.do === 'other') store.put('/registry/claims/x', String(store.revision));
    else await turn();
  }
  store.release();
}

/** The objects of the store, as key and revision. */
async function truth(store: MemoryStore, at: number): Promise<[string, number][]> {
  const page = await store.list(ROOT, { at });
  return page.items.map((stored) => [stored.key.slice(ROOT.length), stored.revision]);
}

async function withCache(store: MemoryStore, run: (cache: WatchCache) => Promise<void>, backfillRevisions = 10_000) {
  const resources = [{ group: '', plural: 'pods' }];
  const cache = new WatchCache({ store, prefix: '/registry', resources, backfillRevisions, log: quietLog });
  try {
    await cache.start();
    await run(cache);
  } finally {
    await cache.stop();
  }
}

/** Replays changes on a state and checks that each follows from the one before. */
function replay(state: Map<string, number>, changes: readonly ItemChange[]): void {
  let last = 0;
  for (const { revision, item, previous } of changes) {
    const name = (item ?? previous)!.key;
    assert.ok(revision >= last);
    assert.equal(previous?.revision, state.get(name));
    if (item === undefined) state.delete(name);
    else state.set(name, item.revision);
    last = revision;
  }
}

describe('WatchCache, under random changes and faults', () => {
  it('agrees with the store at every revision of its history', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        steps,
        fc.nat({ max: 90 }),
        fc.nat({ max: 90 }),
        async (before, after, compacted, depth) => {
          const store = new MemoryStore();
          await perform(store, before);
          store.compact(Math.min(compacted, store.revision));
          await withCache(
            store,
            async (cache) => {
              const pods = cache.resource('', 'pods');
              const since = Math.max(await store.oldestRevision(), cache.frontier - depth);
              await perform(store, after);
              await cache.backfill(since);
              await cache.fresh();
              assert.ok(pods.historyStart <= since, `${pods.historyStart} is after ${since}`);
              for (let at = Math.max(1, pods.historyStart); at <= cache.frontier; at++) {
                const items = pods.rangeAt(at, '')!.items.map((item) => [item.key, item.revision]);
                assert.deepEqual(items, await truth(store, at));
              }
            },
            depth,
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('brings every subscriber from its revision to the present', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const store = new MemoryStore();
        await perform(store, before);
        await withCache(store, async (cache) => {
          const pods = cache.resource('', 'pods');
          await cache.backfill(await store.oldestRevision());
          const open: { state: Map<string, number>; seen: ItemChange[]; subscription: Subscription }[] = [];
          for (let from = Math.max(1, pods.historyStart); from <= cache.frontier; from++) {
            const subscription = pods.subscribe(from);
            assert.ok(subscription !== 'gone');
            open.push({ state: new Map(await truth(store, from)), seen: [], subscription });
          }
          for (const { subscription, seen } of open) {
            subscription.onReady(() => seen.push(...subscription.next(1000)));
          }
          await perform(store, after);
          await cache.fresh();
          await turn();
          const now = await truth(store, store.revision);
          for (const { state, seen, subscription } of open) {
            replay(state, seen);
            assert.deepEqual([...state].sort(), now);
            assert.equal(subscription.position, cache.frontier);
          }
        });
      }),
      { numRuns: 20 },
    );
  });

  it('recovers after compactions and restores', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, fc.nat({ max: 60 }), fc.boolean(), async (before, after, back, restored) => {
        const store = new MemoryStore();
        await perform(store, before);
        await withCache(store, async (cache) => {
          store.held = true;
          if (restored) store.restore(Math.max(1, store.revision - back), 'other');
          await perform(store, after);
          if (!restored) store.compact(store.revision);
          store.breakFeeds();
          for (let tries = 0; ; tries++) {
            await sleep(10);
            if (await cache.fresh().catch(() => undefined)) break;
            assert.ok(tries < 100);
          }
          const items = cache
            .resource('', 'pods')
            .range('')
            .map((item) => [item.key, item.revision]);
          assert.deepEqual(items, await truth(store, store.revision));
        });
      }),
      { numRuns: 15 },
    );
  });
});

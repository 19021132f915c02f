import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CachedResource } from './cached-resource.ts';
import { History } from './history.ts';
import { type Item, type ItemChange, itemOf } from './item.ts';
import { inScope } from './key-order.ts';
import { NotificationQueue } from './notification-queue.ts';
import { SortedItems } from './sorted-items.ts';
import { pod } from './testing/objects.ts';
import type { CacheHost } from './watcher-group.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A pod with a label that every second change sets or removes. */
function podOf(key: string, n: number): string {
  const object = JSON.parse(pod(key, n));
  object.metadata.labels.odd = String(n % 2 === 1);
  return JSON.stringify(object);
}

/** A resource without a store. The test itself makes the changes. */
class Bench {
  frontier = 0;
  readonly #notifications = new NotificationQueue((error) => {
    throw error;
  });
  readonly resource = new CachedResource(this as unknown as CacheHost);
  /** The states after each revision, from 0. */
  readonly states: Map<string, Item>[] = [new Map()];
  readonly log: ItemChange[] = [];

  notify(subscription: Parameters<CacheHost['notify']>[0]): void {
    this.#notifications.add(subscription);
  }

  notifyGroup(...group: Parameters<CacheHost['notifyGroup']>): void {
    this.#notifications.addGroup(...group);
  }

  /** Changes keys at one revision. Undefined deletes a key. */
  change(changes: readonly (readonly [key: string, n: number | undefined])[]): void {
    const revision = this.frontier + 1;
    const state = new Map(this.states.at(-1));
    for (const [key, n] of changes) {
      const item = n === undefined ? undefined : itemOf(key, Buffer.from(podOf(key, n)), revision);
      const previous = state.get(key);
      if (item !== undefined || previous !== undefined) this.log.push({ revision, item, previous });
      if (item === undefined) state.delete(key);
      else state.set(key, item);
      this.resource.apply(revision, key, item, revision);
    }
    this.states.push(state);
    this.frontier = revision;
  }

  /** The items in scope at a revision, in order. */
  at(revision: number, scope: string): Item[] {
    const keys = [...this.states[revision]!.keys()].filter((key) => inScope(scope, key)).sort();
    return keys.map((key) => this.states[revision]!.get(key)!);
  }

  /** `odd` selects objects that have the label now, or that had it before the change. */
  changesAfter(revision: number, scope: string, odd?: string): ItemChange[] {
    const wanted = (item: Item | undefined) => odd === undefined || item?.labels?.['odd'] === odd;
    return this.log.filter(
      ({ revision: at, item, previous }) =>
        at > revision && inScope(scope, (item ?? previous)!.key) && (wanted(item) || wanted(previous)),
    );
  }
}

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'a/4', 'b/1', 'b/2', 'c/1', 'a-b/1');
const scope = fc.constantFrom('', 'a/', 'b/', 'nowhere/', 'a/2', 'a/9');
const odd = fc.constantFrom(undefined, 'true', 'false', 'perhaps');
const changes = fc.array(
  fc.uniqueArray(fc.tuple(key, fc.option(fc.nat(), { nil: undefined })), {
    minLength: 1,
    maxLength: 3,
    selector: ([k]) => k,
  }),
  {
    maxLength: 60,
    size: 'max',
  },
);
const strip = (list: readonly ItemChange[]) =>
  list.map(({ revision, item, previous }) => ({ revision, item, previous }));

describe('CachedResource', () => {
  it('shows every revision of its history, in one read and in pages', () => {
    fc.assert(
      fc.property(
        changes,
        scope,
        fc.integer({ min: 1, max: 4 }),
        fc.nat({ max: 60 }),
        (all, wanted, limit, trimmed) => {
          const bench = new Bench();
          for (const some of all) bench.change(some);
          const { resource } = bench;
          resource.history.trimToSecond(trimmed);
          assert.deepEqual(resource.range(wanted), bench.at(bench.frontier, wanted));
          assert.equal(resource.count(wanted), resource.range(wanted).length);
          assert.equal(resource.rangeAt(bench.frontier + 1, wanted), undefined);
          for (let revision = 0; revision <= bench.frontier; revision++) {
            if (revision < resource.historyStart) {
              assert.equal(resource.rangeAt(revision, wanted), undefined);
              assert.equal(resource.getAt(revision, 'a/1'), undefined);
              continue;
            }
            const expected = bench.at(revision, wanted);
            assert.deepEqual(resource.rangeAt(revision, wanted), { items: expected, remaining: 0, more: false });
            assert.equal(resource.getAt(revision, 'a/1')!.item, bench.states[revision]!.get('a/1'));
            const pages: Item[] = [];
            for (;;) {
              const page = resource.rangeAt(revision, wanted, pages.at(-1)?.key, limit)!;
              pages.push(...page.items);
              assert.equal(page.remaining, expected.length - pages.length);
              assert.equal(page.more, page.remaining > 0);
              if (!page.more) break;
              assert.equal(page.items.length, limit);
            }
            assert.deepEqual(pages, expected);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('gives each change to each subscriber exactly once and in order', () => {
    const subscriber = fc.record({
      scope,
      odd,
      opened: fc.nat({ max: 60 }),
      back: fc.nat({ max: 30 }),
      pull: fc.integer({ min: 1, max: 5 }),
      every: fc.integer({ min: 1, max: 7 }),
    });
    fc.assert(
      fc.property(changes, fc.array(subscriber, { maxLength: 6 }), (all, plans) => {
        const bench = new Bench();
        const running: {
          plan: (typeof plans)[number];
          from: number;
          seen: ItemChange[];
          subscription: ReturnType<typeof bench.resource.subscribe> & object;
        }[] = [];
        for (let step = 0; step <= all.length; step++) {
          for (const plan of plans) {
            if (Math.min(plan.opened, all.length) !== step) continue;
            const from = Math.max(0, bench.frontier - plan.back);
            const subscription = bench.resource.subscribe(from, {
              scope: plan.scope,
              indexKey: plan.odd === undefined ? undefined : { of: 'label', name: 'odd', value: plan.odd },
            });
            assert.ok(subscription !== 'gone');
            assert.ok(subscription.position >= from);
            running.push({ plan, from, seen: [], subscription });
          }
          for (const { plan, seen, subscription, from } of running) {
            if (step % plan.every !== 0) continue;
            seen.push(...subscription.next(plan.pull));
            const unseen = bench.changesAfter(from, plan.scope, plan.odd)[seen.length];
            assert.equal(subscription.position, unseen === undefined ? bench.frontier : unseen.revision - 1);
          }
          if (step < all.length) bench.change(all[step]!);
        }
        for (const { plan, from, seen, subscription } of running) {
          seen.push(...subscription.next(1000));
          assert.deepEqual(strip(seen), strip(bench.changesAfter(from, plan.scope, plan.odd)));
          assert.deepEqual(subscription.next(1000), []);
          subscription.close();
        }
        assert.equal(bench.resource.stats.subscriptions, 0);
      }),
      { numRuns: 200 },
    );
  });

  it('ends only the subscriptions that have not read a change before it is trimmed', () => {
    fc.assert(
      fc.property(
        changes,
        scope,
        fc.nat({ max: 60 }),
        fc.nat({ max: 60 }),
        fc.nat({ max: 5 }),
        (all, wanted, from, trimmed, pulled) => {
          const bench = new Bench();
          const start = Math.min(from, all.length);
          for (const some of all.slice(0, start)) bench.change(some);
          const { subscription } = bench.resource.snapshotAndSubscribe({ scope: wanted });
          for (const some of all.slice(start)) bench.change(some);
          subscription.next(pulled);
          bench.resource.history.trimToSecond(trimmed);
          const unseen = bench.changesAfter(start, wanted).slice(pulled);
          const kept = unseen.filter((change) => change.revision >= trimmed);
          // A subscriber to everything may have missed changes of any key. A subscriber to a scope may have missed only
          // changes of its keys.
          const gone = kept.length < unseen.length;
          assert.equal(subscription.gone, gone);
          assert.deepEqual(strip(subscription.next(1000)), gone ? [] : strip(unseen));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('calls back a subscriber once until it reads changes, and only for changes in its scope', async () => {
    const bench = new Bench();
    const { subscription } = bench.resource.snapshotAndSubscribe({ scope: 'a/' });
    let calls = 0;
    subscription.onReady(() => calls++);
    bench.change([['b/1', 1]]);
    await turn();
    assert.equal(calls, 0);
    assert.equal(subscription.position, 1);
    for (let n = 0; n < 5; n++) {
      bench.change([['a/1', n]]);
      await turn();
    }
    assert.equal(calls, 1, 'a paused subscriber is left alone');
    assert.equal(subscription.next(3).length, 3);
    bench.change([['a/2', 1]]);
    bench.change([['a/3', 1]]);
    await turn();
    assert.equal(calls, 2, 'several changes in one turn are one call');
    assert.equal(subscription.next(100).length, 4);
    subscription.close();
    bench.change([['a/1', 9]]);
    await turn();
    assert.equal(calls, 2);
    assert.deepEqual(subscription.next(1), []);
  });

  it('calls back a subscriber for changes that were made before it set its callback', async () => {
    const bench = new Bench();
    bench.change([['a/1', 1]]);
    const subscription = bench.resource.subscribe(0);
    assert.ok(subscription !== 'gone');
    let calls = 0;
    subscription.onReady(() => calls++);
    await turn();
    assert.equal(calls, 1);
  });

  it('calls back a paused subscriber when a change that it has not read is trimmed', async () => {
    const bench = new Bench();
    const { subscription } = bench.resource.snapshotAndSubscribe({ scope: '' });
    let calls = 0;
    subscription.onReady(() => calls++);
    bench.change([['a/1', 1]]);
    await turn();
    bench.change([['a/1', 2]]);
    bench.resource.history.trimToSecond(2);
    bench.resource.endLost();
    await turn();
    assert.equal(calls, 2);
    assert.ok(subscription.gone);
    assert.equal(bench.resource.stats.subscriptions, 0);
  });

  it('skips all changes up to a future revision that the subscriber asked for', () => {
    const bench = new Bench();
    const subscription = bench.resource.subscribe(2);
    assert.ok(subscription !== 'gone');
    for (let n = 1; n <= 4; n++) bench.change([['a/1', n]]);
    assert.deepEqual(
      subscription.next(1).map((change) => change.revision),
      [3],
    );
    assert.equal(subscription.position, 3);
    assert.deepEqual(
      subscription.next(9).map((change) => change.revision),
      [4],
    );
  });

  it('ends all subscriptions when it is filled again', async () => {
    const bench = new Bench();
    const all = bench.resource.snapshotAndSubscribe({ scope: '' }).subscription;
    const one = bench.resource.snapshotAndSubscribe({ scope: 'a/1' }).subscription;
    bench.change([['a/1', 1]]);
    bench.resource.fill(new SortedItems(), new History(9));
    assert.deepEqual([all.gone, one.gone], [true, true]);
    bench.frontier = 9;
    assert.equal(bench.resource.subscribe(8), 'gone');
    const next = bench.resource.subscribe(9);
    assert.ok(next !== 'gone');
    bench.change([['a/2', 1]]);
    assert.equal(next.next(5).length, 1);
  });
});

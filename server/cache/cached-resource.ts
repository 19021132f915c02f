import { TimeSlice } from '#base/time/time-slice.ts';
import { History } from './history.ts';
import type { IndexKey } from './index-key.ts';
import { forgetIndexed, type Item, type ItemChange, replaced } from './item.ts';
import { ItemIndex } from './item-index.ts';
import { inScope, type Scope } from './key-order.ts';
import type { RangeAt, ResourceCache, ResourceStats, SealedKey } from './resource-cache.ts';
import { SortedItems } from './sorted-items.ts';
import type { Subscription } from './subscription.ts';
import type { WatchPredicate } from './watch-predicate.ts';
import type { CacheHost } from './watcher-group.ts';
import { WatcherGroups } from './watcher-groups.ts';

const NOTHING_SEALED: readonly SealedKey[] = [];

interface Changed {
  readonly before: Item | undefined;
  now: Item | undefined;
}

/** A {@link ResourceCache} with the methods that the feed calls. */
export class CachedResource implements ResourceCache {
  readonly #host: CacheHost;
  readonly #groups: WatcherGroups;
  readonly #index = new ItemIndex();
  readonly #unreadable = new Set<string>();
  /** Keys of values that could not be decrypted, and their revisions. */
  readonly #sealed = new Map<string, number>();
  #isRead = true;
  #reading: Promise<void> | undefined;
  #items = new SortedItems();
  #history = new History(0);

  constructor(host: CacheHost) {
    this.#host = host;
    this.#groups = new WatcherGroups(host);
  }

  get history(): History {
    return this.#history;
  }

  get historyStart(): number {
    return this.#history.start;
  }

  get stats(): ResourceStats {
    let subscriptions = 0;
    for (const group of this.#groups) subscriptions += group.subscriptions.size;
    return {
      items: this.#items.size,
      bytes: this.#items.bytes,
      history: this.#history.length,
      historyBytes: this.#history.bytes,
      subscriptions,
    };
  }

  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

  isUnreadable(key: string): boolean {
    return this.#unreadable.has(key) && this.#items.get(key) === undefined;
  }

  sealedIn(scope: Scope): readonly SealedKey[] {
    if (this.#sealed.size === 0) return NOTHING_SEALED;
    const found: SealedKey[] = [];
    for (const [key, revision] of this.#sealed)
      if (inScope(scope, key) && this.#items.get(key) === undefined) found.push({ key, revision });
    return found;
  }

  /** Records that the store no longer has this value. */
  forgetSealed({ key, revision }: SealedKey): void {
    if (this.#sealed.get(key) === revision) this.#readable(key);
  }

  /** Records an unreadable value under this key. If the value could not be decrypted, its revision is recorded too. */
  cannotRead(key: string, sealedAt?: number): void {
    this.#unreadable.add(key);
    if (sealedAt === undefined) this.#sealed.delete(key);
    else this.#sealed.set(key, sealedAt);
  }

  /**
   * Adds items whose values could not be decrypted before, unless they have changed since. No subscriber has seen them,
   * so all subscriptions end.
   */
  regain(items: readonly Item[]): void {
    const missing = items.filter(({ key, revision }) => this.#sealed.get(key) === revision && !this.#items.get(key));
    if (missing.length === 0) return;
    for (const item of missing) {
      this.#items.set(item);
      this.#index.apply(undefined, item);
      this.#readable(item.key);
    }
    this.#history = new History(this.#host.frontier);
    this.endSubscriptions();
  }

  /**
   * Applies a change to a value that cannot be decrypted. All subscriptions end, because subscribers must not take this
   * for a deletion.
   */
  loseSight(revision: number, key: string): void {
    const previous = this.#items.delete(key);
    if (previous !== undefined) this.#index.apply(previous, undefined);
    this.#history = new History(revision);
    this.endSubscriptions();
  }

  readAhead(): Promise<void> | undefined {
    if (this.#isRead) return undefined;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads the selectable fields of all items again, after the selectable fields have changed. */
  reindex(): void {
    for (const item of this.#items.range('')) forgetIndexed(item);
    for (let i = this.#history.first; i < this.#history.end; i++) {
      const { item, previous } = this.#history.at(i) ?? {};
      if (item !== undefined) forgetIndexed(item);
      if (previous !== undefined) forgetIndexed(previous);
    }
    this.#index.clear();
    this.#isRead = this.#items.size === 0;
  }

  range(scope: Scope): Item[] {
    return this.#items.range(scope);
  }

  matching(scope: Scope, indexKey: IndexKey): Item[] | undefined {
    const keys = this.#index.find(indexKey, this.#items.size, () => this.#items.range(''));
    if (keys === undefined) return undefined;
    const { order } = this.#items;
    const inside = [...keys].filter((key) => inScope(scope, key)).sort(order);
    return inside.map((key) => this.#items.get(key)!);
  }

  count(scope: Scope): number {
    return this.#items.count(scope);
  }

  getAt(revision: number, key: string): { readonly item: Item | undefined } | undefined {
    if (!this.#remembers(revision)) return undefined;
    const changed = this.#changedSince(revision, key).get(key);
    return { item: changed === undefined ? this.#items.get(key) : changed.before };
  }

  rangeAt(
    revision: number,
    scope: Scope,
    after?: string,
    limit: number = Number.POSITIVE_INFINITY,
  ): RangeAt | undefined {
    if (!this.#remembers(revision)) return undefined;
    const { order } = this.#items;
    const changed = this.#changedSince(revision, scope);
    const keys: string[] = [];
    let total = this.#items.count(scope, after);
    for (const [key, { before, now }] of changed) {
      if (after !== undefined && order(key, after) <= 0) continue;
      keys.push(key);
      if (now !== undefined) total--;
      if (before !== undefined) total++;
    }
    keys.sort(order);
    const items: Item[] = [];
    const walk = this.#items.walk(scope, after);
    let present = walk();
    for (let next = 0; items.length < limit; ) {
      const key = keys[next];
      const compared = present === undefined ? 1 : key === undefined ? -1 : order(present.key, key);
      if (key !== undefined && compared >= 0) {
        if (compared === 0) present = walk();
        const before = changed.get(key)?.before;
        if (before !== undefined) items.push(before);
        next++;
      } else if (present !== undefined) {
        items.push(present);
        present = walk();
      } else break;
    }
    const remaining = total - items.length;
    return { items, remaining, more: remaining > 0 };
  }

  subscribe(after: number | undefined, predicate: WatchPredicate = { scope: '' }): Subscription | 'gone' {
    const from = after ?? this.#host.frontier;
    if (from < this.#history.start) return 'gone';
    return this.#open(from, predicate);
  }

  snapshotAndSubscribe(predicate: WatchPredicate): { items: Item[]; revision: number; subscription: Subscription } {
    const revision = this.#host.frontier;
    const { scope, indexKey } = predicate;
    const items = (indexKey && this.matching(scope, indexKey)) ?? this.range(scope);
    return { items, revision, subscription: this.#open(revision, predicate) };
  }

  /** Records that the store no longer has this key. */
  isGone(key: string): void {
    if (this.#unreadable.size > 0) this.#readable(key);
  }

  /** Applies a change from the feed. If `item` is undefined, the change is a deletion. */
  apply(revision: number, key: string, item: Item | undefined, second: number): void {
    const previous = item === undefined ? this.#items.delete(key) : this.#items.set(item);
    if (item !== undefined && this.#unreadable.size > 0) this.#readable(key);
    if (item === undefined && previous === undefined) return;
    this.#index.apply(previous, item);
    if (item !== undefined && previous !== undefined) replaced(previous, item);
    const sequence = this.#history.end;
    const change = { revision, item, previous };
    this.#history.push(change, second);
    this.#groups.tell(change, sequence);
  }

  /** Removes an item, unless it has changed, as if it had never existed. */
  drop(item: Item): void {
    if (this.#items.get(item.key) !== item) return;
    this.#items.delete(item.key);
    this.#index.apply(item, undefined);
    this.#unreadable.add(item.key);
  }

  /** Replaces everything. Subscribers have missed changes. */
  fill(items: SortedItems, history: History): void {
    this.#items = items;
    this.#isRead = items.size === 0;
    this.#index.clear();
    this.#history = history;
    this.endSubscriptions();
  }

  /** Ends all subscriptions. The subscribers must list again. */
  endSubscriptions(): void {
    const { subscriptions } = this.#groups;
    this.#groups.clear();
    for (const subscription of subscriptions) subscription.end();
  }

  /** Ends the subscriptions whose next change was trimmed before they pulled it. */
  endLost(): void {
    for (const subscription of this.#groups.subscriptions) subscription.endIfLost();
  }

  async #readAll(): Promise<void> {
    const slice = new TimeSlice();
    for (let filled: SortedItems | undefined; filled !== this.#items; ) {
      filled = this.#items;
      for (const item of this.range('')) {
        if (!item.readable) this.drop(item);
        if (slice.over) await slice.yield();
        if (filled !== this.#items) break;
      }
    }
    this.#isRead = true;
  }

  #readable(key: string): void {
    this.#unreadable.delete(key);
    this.#sealed.delete(key);
  }

  #remembers(revision: number): boolean {
    return revision >= this.#history.start && revision <= this.#host.frontier;
  }

  /** The keys in scope that changed after a revision, each with its item at that revision and now. */
  #changedSince(revision: number, scope: Scope): Map<string, Changed> {
    const changed = new Map<string, Changed>();
    for (let at = this.#history.after(revision); at < this.#history.end; at++) {
      const { item, previous } = this.#history.at(at) as ItemChange;
      const { key } = (item ?? previous) as Item;
      if (!inScope(scope, key)) continue;
      const known = changed.get(key);
      if (known === undefined) changed.set(key, { before: previous, now: item });
      else known.now = item;
    }
    return changed;
  }

  #open(after: number, predicate: WatchPredicate): Subscription {
    return this.#groups.open(predicate, this.#history).open(after);
  }
}

import type { History } from './history.ts';
import { type IndexKey, indexedValue } from './index-key.ts';
import type { ItemChange } from './item.ts';
import { inScope, type Scope } from './key-order.ts';
import type { CacheSubscription } from './subscription.ts';
import type { WatchPredicate } from './watch-predicate.ts';
import { type CacheHost, WatcherGroup } from './watcher-group.ts';

/** The groups whose predicate has the same label or field, by its value. */
interface ByValue extends Pick<IndexKey, 'of' | 'name'> {
  readonly groups: Map<string, Map<Scope, WatcherGroup>>;
}

/**
 * The watcher groups of a resource, which are found from a change. A change of a pod reaches the watcher of its node
 * and the watchers of all pods, and costs nothing for the watchers of other nodes.
 */
export class WatcherGroups {
  readonly #host: CacheHost;
  readonly #byScope = new Map<Scope, WatcherGroup>();
  readonly #byIndexKey = new Map<string, ByValue>();

  constructor(host: CacheHost) {
    this.#host = host;
  }

  *[Symbol.iterator](): IterableIterator<WatcherGroup> {
    yield* this.#byScope.values();
    for (const { groups } of this.#byIndexKey.values()) for (const ofValue of groups.values()) yield* ofValue.values();
  }

  /** A new array with the subscriptions of all groups. */
  get subscriptions(): CacheSubscription[] {
    return [...this].flatMap(({ subscriptions }) => [...subscriptions]);
  }

  /** The group of a predicate. It is created if it does not exist, and removed with its last subscriber. */
  open(predicate: WatchPredicate, history: History): WatcherGroup {
    const { indexKey, scope } = predicate;
    const groups = indexKey === undefined ? this.#byScope : this.#ofIndexKey(indexKey);
    const known = groups.get(scope);
    if (known !== undefined) return known;
    const opened = new WatcherGroup(this.#host, history, predicate, () => {
      if (groups.get(scope) !== opened) return;
      groups.delete(scope);
      if (indexKey !== undefined && groups.size === 0) this.#forget(indexKey);
    });
    groups.set(scope, opened);
    return opened;
  }

  /** Adds a change, which is in the history under this sequence number, to the groups that it matches. */
  tell(change: ItemChange, sequence: number): void {
    const { key } = (change.item ?? change.previous)!;
    if (this.#byScope.size > 0) {
      this.#byScope.get('')?.add(sequence);
      this.#byScope.get(key)?.add(sequence);
      const slash = key.indexOf('/');
      if (slash >= 0) this.#byScope.get(key.slice(0, slash + 1))?.add(sequence);
    }
    for (const asked of this.#byIndexKey.values()) {
      const before = change.previous && indexedValue(change.previous, asked);
      const after = change.item && indexedValue(change.item, asked);
      for (const value of before === after ? [after] : [before, after]) {
        const groups = value === undefined ? undefined : asked.groups.get(value);
        if (groups === undefined) continue;
        for (const [scope, group] of groups) if (inScope(scope, key)) group.add(sequence);
      }
    }
  }

  /** Removes all groups. */
  clear(): void {
    this.#byScope.clear();
    this.#byIndexKey.clear();
  }

  #ofIndexKey({ of, name, value }: IndexKey): Map<Scope, WatcherGroup> {
    const id = `${of} ${name}`;
    const asked = this.#byIndexKey.get(id) ?? { of, name, groups: new Map() };
    this.#byIndexKey.set(id, asked);
    const groups = asked.groups.get(value) ?? new Map<Scope, WatcherGroup>();
    asked.groups.set(value, groups);
    return groups;
  }

  #forget({ of, name, value }: IndexKey): void {
    const id = `${of} ${name}`;
    const asked = this.#byIndexKey.get(id);
    if (asked?.groups.get(value)?.size !== 0) return;
    asked.groups.delete(value);
    if (asked.groups.size === 0) this.#byIndexKey.delete(id);
  }
}

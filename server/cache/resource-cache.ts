import type { IndexKey } from './index-key.ts';
import type { Item } from './item.ts';
import type { Scope } from './key-order.ts';
import type { Subscription } from './subscription.ts';
import type { WatchPredicate } from './watch-predicate.ts';

export type { Subscription } from './subscription.ts';

/** A collection at one revision, or the first part of it. */
export interface RangeAt {
  /** The items in the order of their keys. */
  readonly items: Item[];
  /** How many more items the collection has. */
  readonly remaining: number;
  readonly more: boolean;
}

/** The place of a value that could not be decrypted. */
export interface SealedKey {
  readonly key: string;
  readonly revision: number;
}

/**
 * The objects of one resource, at the cache's frontier and at earlier revisions. All reads are synchronous, so reads in
 * one turn of the event loop see the same state. A scope is '' (all), `namespace/` (one namespace) or a key.
 */
export interface ResourceCache {
  get(key: string): Item | undefined;
  /**
   * Whether the store had an unreadable value under this key, which the cache does not show. The value may have been
   * removed since.
   */
  isUnreadable(key: string): boolean;
  /**
   * Keys of encrypted values in the scope that could not be decrypted when they were read. Some may have been removed
   * since. The cache does not show these objects.
   */
  sealedIn(scope: Scope): readonly SealedKey[];
  /**
   * Parses the selectable values of all items, with pauses for other work. A caller that will use a selector waits for
   * it, so that not everything is parsed without a pause. Undefined if it is already done. Drops items that cannot be
   * read.
   */
  readAhead(): Promise<void> | undefined;
  /** The items in a scope, in key order, as a new array. */
  range(scope: Scope): Item[];
  /** The items with an index key, in the form of `range`. Undefined if a walk over all items is as fast. */
  matching(scope: Scope, indexKey: IndexKey): Item[] | undefined;
  count(scope: Scope): number;
  /**
   * The items at an older revision, after the key `after` (exclusive, it need not exist), at most `limit`. Undefined if
   * the revision is before `historyStart` or after the frontier.
   */
  rangeAt(revision: number, scope: Scope, after?: string, limit?: number): RangeAt | undefined;
  /** One item at an older revision. The result itself is undefined if the result of `rangeAt` is undefined. */
  getAt(revision: number, key: string): { readonly item: Item | undefined } | undefined;
  /** The cache has all changes after this revision. */
  readonly historyStart: number;
  /**
   * A subscription to the changes after a revision. 'gone' if the history does not reach back to it. Undefined means
   * the changes from now on. With a revision after the frontier, the changes up to that revision are skipped.
   */
  subscribe(after: number | undefined, predicate?: WatchPredicate): Subscription | 'gone';
  /** The items now, and a subscription to the later changes. The items may include some without the index key. */
  snapshotAndSubscribe(predicate: WatchPredicate): {
    readonly items: Item[];
    readonly revision: number;
    readonly subscription: Subscription;
  };
  /** The statistics. They also count changes that no subscriber has pulled yet. */
  readonly stats: ResourceStats;
}

/** Statistics of a resource. Sizes in bytes are those of the bodies. */
export interface ResourceStats {
  readonly items: number;
  readonly bytes: number;
  readonly history: number;
  /** The number of bytes in memory that only the history uses. */
  readonly historyBytes: number;
  readonly subscriptions: number;
}

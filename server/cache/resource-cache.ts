import type { IndexKey } from './index-key.ts';
import type { Item } from './item.ts';
import type { Scope } from './key-order.ts';
import type { Subscription } from './subscription.ts';
import type { WatchPredicate } from './watch-predicate.ts';

export type { Subscription } from './subscription.ts';

/** A collection at one revision, or the first part of it. */
export interface RangeAt {
  /** The order is that of the keys. */
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
 * The objects of one resource, at the cache's frontier and at earlier revisions. All reads are synchronous: reads of
 * one tick see the same state. A scope is '' (all), `namespace/` (one namespace) or a key.
 */
export interface ResourceCache {
  get(key: string): Item | undefined;
  /**
   * Whether the store had an unreadable value under this key, which the cache does not show. The value may be gone by
   * now.
   */
  isUnreadable(key: string): boolean;
  /**
   * Keys of encrypted values that could not be decrypted at their reading. Some may be gone by now. The cache does not
   * show these objects of the scope.
   */
  sealedIn(scope: Scope): readonly SealedKey[];
  /**
   * Parses the selectable values of all items, in slices between other work. A caller that is about to select waits for
   * it, so that not everything is parsed without a pause. Undefined if it is done already. Drops items that cannot be
   * read.
   */
  readAhead(): Promise<void> | undefined;
  /** Key order; a fresh array. */
  range(scope: Scope): Item[];
  /** The items with an index key, as `range` returns them; undefined if a walk over all items is as quick. */
  matching(scope: Scope, indexKey: IndexKey): Item[] | undefined;
  count(scope: Scope): number;
  /**
   * The items at an older revision, after the key `after` (exclusive, it need not exist), at most `limit`. Undefined
   * when the revision lies before `historyStart` or after the frontier.
   */
  rangeAt(revision: number, scope: Scope, after?: string, limit?: number): RangeAt | undefined;
  /** One item at an older revision. The result itself is undefined if the result of `rangeAt` is undefined. */
  getAt(revision: number, key: string): { readonly item: Item | undefined } | undefined;
  /** All changes after this revision are in memory. */
  readonly historyStart: number;
  /**
   * Changes after a revision: 'gone' when the history does not reach back so far; undefined means the changes from now
   * on. A revision after the frontier skips the changes up to that revision.
   */
  subscribe(after: number | undefined, predicate?: WatchPredicate): Subscription | 'gone';
  /** The items now, and a subscription to the changes after. The items may include some without the index key. */
  snapshotAndSubscribe(predicate: WatchPredicate): {
    readonly items: Item[];
    readonly revision: number;
    readonly subscription: Subscription;
  };
  /** It also counts changes that no subscriber has pulled yet. */
  readonly stats: ResourceStats;
}

/** Sizes in bytes are those of the bodies. */
export interface ResourceStats {
  readonly items: number;
  readonly bytes: number;
  readonly history: number;
  /** The number of bytes in memory that only the history needs. */
  readonly historyBytes: number;
  readonly subscriptions: number;
}

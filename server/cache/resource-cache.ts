import type { IndexKey } from './index-key.ts';
import type { Item } from './item.ts';
import type { Scope } from './key-order.ts';
import type { Subscription } from './subscription.ts';
import type { WatchPredicate } from './watch-predicate.ts';

export type { Subscription } from './subscription.ts';

/** A collection at one revision, or the first part of it. */
export interface RangeAt {
  /** In key order. */
  readonly items: Item[];
  /** How many items come after these. */
  readonly remaining: number;
  readonly more: boolean;
}

/** Where a value is that could not be opened. */
export interface SealedKey {
  readonly key: string;
  readonly revision: number;
}

/**
 * The objects of one resource, at the cache's frontier and some time back. Everything is synchronous: what is read in
 * one tick belongs together. A scope is '' (all), `namespace/` (one namespace) or a key.
 */
export interface ResourceCache {
  get(key: string): Item | undefined;
  /**
   * Whether the store had a value under this key that could not be read, and so is not shown; it may be gone by now.
   */
  isUnreadable(key: string): boolean;
  /**
   * Keys of values that are encrypted, and could not be opened when they were read; some may be gone by now. What is
   * shown of the scope is not all that there is.
   */
  sealedIn(scope: Scope): readonly SealedKey[];
  /**
   * Parses what selectors need of all items, in slices between other work. A caller that is about to select waits for
   * it, so that not everything is parsed in one stretch. Undefined when it has been done. Drops items that cannot be
   * read.
   */
  readAhead(): Promise<void> | undefined;
  /** Key order; a fresh array. */
  range(scope: Scope): Item[];
  /** The items that have an index key, as `range` gives them; undefined where a walk over all items is as quick. */
  matching(scope: Scope, indexKey: IndexKey): Item[] | undefined;
  count(scope: Scope): number;
  /**
   * The items at an older revision, after the key `after` (exclusive, it need not exist), at most `limit`. Undefined
   * when the revision lies before `historyStart` or after the frontier.
   */
  rangeAt(revision: number, scope: Scope, after?: string, limit?: number): RangeAt | undefined;
  /** One item at an older revision; the answer itself is undefined where that of `rangeAt` is. */
  getAt(revision: number, key: string): { readonly item: Item | undefined } | undefined;
  /** All changes after this revision are in memory. */
  readonly historyStart: number;
  /**
   * Changes after a revision: 'gone' when the history does not reach back so far; undefined means from now on. A
   * revision after the frontier skips the changes up to it.
   */
  subscribe(after: number | undefined, predicate?: WatchPredicate): Subscription | 'gone';
  /** The items now, and a subscription to the changes after. The items may include some without the index key. */
  snapshotAndSubscribe(predicate: WatchPredicate): {
    readonly items: Item[];
    readonly revision: number;
    readonly subscription: Subscription;
  };
  /** Counts changes that no subscriber has pulled yet, too. */
  readonly stats: ResourceStats;
}

/** Sizes in bytes are those of the bodies. */
export interface ResourceStats {
  readonly items: number;
  readonly bytes: number;
  readonly history: number;
  /** Bytes in memory only because of the history. */
  readonly historyBytes: number;
  readonly subscriptions: number;
}

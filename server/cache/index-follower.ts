import type { Item } from './item.ts';
import type { ResourceCache, Subscription } from './resource-cache.ts';

/** The largest number of changes that an index applies at a time. */
const BATCH = 256;

/** The functions that an index has for changes of its objects. */
export interface Indexed {
  clear(): void;
  /** Called with a new object, or with the new state of one that was removed before. */
  add(item: Item): void;
  /** It is also called with keys that were never added. */
  remove(key: string): void;
}

/** Updates an index to the cache's state before each look-up. */
export class IndexFollower {
  readonly #cache: ResourceCache;
  readonly #index: Indexed;
  #subscription: Subscription | undefined;

  constructor(cache: ResourceCache, index: Indexed) {
    this.#cache = cache;
    this.#index = index;
  }

  catchUp(): void {
    if (this.#subscription === undefined || this.#subscription.gone) this.#restart();
    for (;;) {
      const changes = this.#subscription!.next(BATCH);
      for (const { item, previous } of changes) {
        this.#index.remove((item ?? previous)!.key);
        if (item !== undefined) this.#index.add(item);
      }
      if (changes.length < BATCH) return;
    }
  }

  #restart(): void {
    this.#index.clear();
    const { items, subscription } = this.#cache.snapshotAndSubscribe({ scope: '' });
    this.#subscription = subscription;
    for (const item of items) this.#index.add(item);
  }
}

import type { ResourceCache } from '../cache/resource-cache.ts';

/** Counts of lists for one resource. */
export interface ListCount {
  /** Lists that were read from memory, by the index that they used: '' for a walk over all objects. */
  readonly cached: Map<string, { lists: number; fetched: number }>;
  cachedReturned: number;
  /**
   * The number of lists from the store, the number of objects read for them, and the number of objects in the answers.
   */
  stored: number;
  storedFetched: number;
  storedReturned: number;
}

/** One list that was read. */
export interface ListRead {
  /** Absent means that it was read from the store. */
  readonly index?: string | undefined;
  readonly fetched: number;
  readonly returned: number;
}

/** The cost of lists by resource; removed together with the resource's cache. */
export class ListCounts {
  readonly #counts = new WeakMap<ResourceCache, ListCount>();

  /** Counts a list of a resource. */
  count(cache: ResourceCache, { index, fetched, returned }: ListRead): void {
    let of = this.#counts.get(cache);
    if (of === undefined) {
      of = { cached: new Map(), cachedReturned: 0, stored: 0, storedFetched: 0, storedReturned: 0 };
      this.#counts.set(cache, of);
    }
    if (index === undefined) {
      of.stored++;
      of.storedFetched += fetched;
      of.storedReturned += returned;
      return;
    }
    of.cachedReturned += returned;
    const found = of.cached.get(index);
    if (found === undefined) of.cached.set(index, { lists: 1, fetched });
    else {
      found.lists++;
      found.fetched += fetched;
    }
  }

  /** The counts of a resource; undefined before its first list. */
  of(cache: ResourceCache): ListCount | undefined {
    return this.#counts.get(cache);
  }
}

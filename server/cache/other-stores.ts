import { resourceId, resourceIdOfKey } from './resource-entries.ts';

/** The caches of resources that are not in the main store, by `resourceId`. */
export class OtherStores<Cache> {
  /** All caches. A cache of several resources occurs once. */
  readonly caches: readonly Cache[];
  readonly #byResource: ReadonlyMap<string, Cache>;

  constructor(byResource: ReadonlyMap<string, Cache>) {
    this.#byResource = byResource;
    this.caches = [...new Set(byResource.values())];
  }

  /** The cache of a resource; undefined if the resource is in the main store. */
  cacheOf(group: string, plural: string): Cache | undefined {
    return this.#byResource.get(resourceId(group, plural));
  }

  /**
   * The cache of the object with an absolute key, as with {@link cacheOf}. `base` is the length of the prefix with its
   * slash.
   */
  cacheOfKey(key: string, base: number): Cache | undefined {
    if (this.caches.length === 0) return undefined;
    const id = resourceIdOfKey(key, base);
    return id === undefined ? undefined : this.#byResource.get(id);
  }
}

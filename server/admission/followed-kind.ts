import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Item } from '../cache/item.ts';
import type { Subscription } from '../cache/resource-cache.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import type { ClusterView } from './cluster-view.ts';

/** The number of changes that are read at a time. */
const BATCH = 256;

/**
 * The results of a function for all objects of a cluster-wide kind in the watch cache. Only objects that have changed
 * are read again.
 */
export class FollowedKind<T extends ApiObject, Read> {
  readonly #cluster: ClusterView;
  readonly #group: string;
  readonly #plural: string;
  readonly #read: (object: T) => readonly Read[];
  readonly #byName = new Map<string, readonly Read[]>();
  #subscription: Subscription | undefined;
  #all: readonly Read[] = [];

  /** @param read makes the results of one object; `group` is in its short form */
  constructor(cluster: ClusterView, group: string, plural: string, read: (object: T) => readonly Read[]) {
    this.#cluster = cluster;
    this.#group = group;
    this.#plural = plural;
    this.#read = read;
  }

  /**
   * All results, in the order of the objects' names. The results of one object keep their order. The list is the same
   * object until a change.
   */
  current(): readonly Read[] {
    const subscription = this.#subscription;
    if (subscription === undefined || subscription.gone) {
      this.#restart();
      return this.#all;
    }
    let changes = subscription.next(BATCH);
    if (changes.length === 0) return this.#all;
    for (; changes.length > 0; changes = subscription.next(BATCH)) {
      for (const { item, previous } of changes) {
        if (item !== undefined) this.#take(item);
        else if (previous !== undefined) this.#byName.delete(previous.name);
      }
    }
    this.#arrange();
    return this.#all;
  }

  #restart(): void {
    const { cache } = this.#cluster.registry.stored(this.#group, this.#plural);
    const { items, subscription } = cache.snapshotAndSubscribe({ scope: '' });
    this.#subscription = subscription;
    this.#byName.clear();
    for (const item of items) this.#take(item);
    this.#arrange();
  }

  #take(item: Item): void {
    const { registry } = this.#cluster;
    const stored = registry.stored(this.#group, this.#plural);
    this.#byName.set(item.name, this.#read(storedObject(registry, stored, item) as T));
  }

  #arrange(): void {
    const names = [...this.#byName.keys()].sort();
    this.#all = names.flatMap((name) => this.#byName.get(name)!);
  }
}

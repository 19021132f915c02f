import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';
import { IndexFollower } from '../../cache/index-follower.ts';
import type { Item } from '../../cache/item.ts';
import type { ResourceCache } from '../../cache/resource-cache.ts';

/** The rules of the roles of one kind. Each call uses the current content of the cache. */
export class RolesIndex {
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  readonly #follower: IndexFollower;

  constructor(cache: ResourceCache, content: (item: Item) => { readonly rules?: readonly PolicyRule[] | null }) {
    this.#follower = new IndexFollower(cache, {
      clear: () => this.#rules.clear(),
      add: (item) => this.#rules.set(item.key, content(item).rules ?? []),
      remove: (key) => this.#rules.delete(key),
    });
  }

  /** The rules of a role by its key, `name` or `namespace/name`; undefined if it does not exist. */
  of(key: string): readonly PolicyRule[] | undefined {
    this.#follower.catchUp();
    return this.#rules.get(key);
  }
}

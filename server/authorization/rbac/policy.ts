import type { Item } from '../../cache/item.ts';
import { qualified } from '../../errors/status-error.ts';
import type { UserInfo } from '../../http/request-context.ts';
import type { Registry } from '../../registry/registry.ts';
import type { StoredResource } from '../../registry/served-resource.ts';
import type { PolicyRule, RoleRef } from '../../schema/generated/rbac.authorization.v1.ts';
import { type BindingContent, BindingsIndex, type Bound } from './bindings-index.ts';

const GROUP = 'rbac.authorization';

/** A binding that names a user, with the rules of its role; `rules` undefined where there is no such role. */
export interface Grant {
  readonly bound: Bound;
  readonly rules: readonly PolicyRule[] | undefined;
}

/** The stored roles and bindings, from the watch cache. */
export class Policy {
  readonly #registry: Registry;
  readonly #roles: StoredResource;
  readonly #clusterRoles: StoredResource;
  readonly #bindings: BindingsIndex;
  readonly #clusterBindings: BindingsIndex;
  readonly #rules = new WeakMap<Item, readonly PolicyRule[]>();

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#roles = registry.stored(GROUP, 'roles');
    this.#clusterRoles = registry.stored(GROUP, 'clusterroles');
    const content = (item: Item) => registry.cache.parsed(item) as unknown as BindingContent;
    this.#bindings = new BindingsIndex(registry.stored(GROUP, 'rolebindings').cache, content);
    this.#clusterBindings = new BindingsIndex(registry.stored(GROUP, 'clusterrolebindings').cache, content);
  }

  /** What bindings give a user: cluster-wide ones first, then those of the namespace, if one is asked for. */
  *grants(user: UserInfo, namespace: string): Generator<Grant> {
    for (const bound of this.#clusterBindings.of(user, '')) yield { bound, rules: this.rules(bound.roleRef, '') };
    if (namespace === '') return;
    for (const bound of this.#bindings.of(user, namespace)) {
      yield { bound, rules: this.rules(bound.roleRef, namespace) };
    }
  }

  /** The rules of a role; undefined where it is not there. */
  rules({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const item =
      kind === 'ClusterRole' ? this.#clusterRoles.cache.get(name) : this.#roles.cache.get(`${namespace}/${name}`);
    if (item === undefined) return undefined;
    let rules = this.#rules.get(item);
    if (rules === undefined) {
      rules = (this.#registry.cache.parsed(item) as { rules?: PolicyRule[] | null }).rules ?? [];
      this.#rules.set(item, rules);
    }
    return rules;
  }

  /** Says that a role is not there. */
  missing({ kind, name }: RoleRef): string {
    const subject = { group: this.#registry.naming.group(GROUP), resource: kind.toLowerCase() };
    return `${qualified(subject)} ${JSON.stringify(name)} not found`;
  }
}

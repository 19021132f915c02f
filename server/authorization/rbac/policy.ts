import { qualified } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { PolicyRule, RoleRef } from '#schema/generated/rbac.authorization.v1.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Item } from '../../cache/item.ts';
import type { WatchCache } from '../../cache/watch-cache.ts';
import { type BindingContent, BindingsIndex, type Bound, type RoleKey, roleKey } from './bindings-index.ts';
import { RolesIndex } from './roles-index.ts';

const GROUP = 'rbac.authorization';

/** A binding that names a user, with the rules of its role; `rules` is undefined if the role does not exist. */
export interface Grant {
  readonly bound: Bound;
  readonly rules: readonly PolicyRule[] | undefined;
}

/** The stored roles and bindings, from the watch cache. */
export class Policy {
  readonly #naming: Naming;
  readonly #roles: Readonly<Record<RoleKey['plural'], RolesIndex>>;
  readonly #bindings: BindingsIndex;
  readonly #clusterBindings: BindingsIndex;

  constructor(cache: WatchCache, naming: Naming) {
    this.#naming = naming;
    const resource = (plural: string) => cache.resource(GROUP, plural);
    const role = (item: Item) => cache.parsed(item) as { readonly rules?: readonly PolicyRule[] | null };
    const binding = (item: Item) => cache.parsed(item) as unknown as BindingContent;
    this.#roles = {
      roles: new RolesIndex(resource('roles'), role),
      clusterroles: new RolesIndex(resource('clusterroles'), role),
    };
    this.#bindings = new BindingsIndex(resource('rolebindings'), binding);
    this.#clusterBindings = new BindingsIndex(resource('clusterrolebindings'), binding);
  }

  /**
   * The rules that bindings grant to a user. Cluster-wide bindings come first, then those of the namespace, if one is
   * given.
   */
  *grants(user: UserInfo, namespace: string): Generator<Grant> {
    for (const bound of this.#clusterBindings.of(user, '')) yield { bound, rules: this.#rulesAt(bound.role) };
    if (namespace === '') return;
    for (const bound of this.#bindings.of(user, namespace)) yield { bound, rules: this.#rulesAt(bound.role) };
  }

  /** The rules of a role; undefined if it does not exist. */
  rules(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#rulesAt(roleKey(role, namespace));
  }

  #rulesAt({ plural, key }: RoleKey): readonly PolicyRule[] | undefined {
    return this.#roles[plural].of(key);
  }

  /** The message that a role does not exist. */
  missing({ kind, name }: RoleRef): string {
    const subject = { group: this.#naming.group(GROUP), resource: kind.toLowerCase() };
    return `${qualified(subject)} ${JSON.stringify(name)} not found`;
  }
}

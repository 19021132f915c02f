import { append } from '#base/collections/append.ts';
import { BoundedCache } from '#base/collections/bounded-cache.ts';
import type { RoleRef, Subject } from '#schema/generated/rbac.authorization.v1.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { IndexFollower } from '../../cache/index-follower.ts';
import type { Item } from '../../cache/item.ts';
import type { ResourceCache } from '../../cache/resource-cache.ts';

/** The content of a binding. */
export interface BindingContent {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}

/** A binding that names a subject. */
export interface Bound {
  readonly name: string;
  readonly namespace: string;
  readonly subject: Subject;
  readonly roleRef: RoleRef;
  readonly role: RoleKey;
}

/** The number of answers that are remembered. */
const REMEMBERED = 512;

/** The longest names and groups of users for which answers are remembered. A review may name any user. */
const LONGEST = 10_000;

/** The key of the role of a binding. */
export interface RoleKey {
  readonly plural: 'roles' | 'clusterroles';
  /** `name` or `namespace/name`. */
  readonly key: string;
}

/** The key of the role to which a binding of a namespace refers. */
export function roleKey({ kind, name }: RoleRef, namespace: string): RoleKey {
  return kind === 'ClusterRole'
    ? { plural: 'clusterroles', key: name }
    : { plural: 'roles', key: `${namespace}/${name}` };
}

/** The user name of a service account. */
function accountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The index key of the user or group that a subject names; undefined for unknown kinds of subject. */
function subjectKey(subject: Subject, namespace: string): string | undefined {
  switch (subject.kind) {
    case 'User':
      return `user ${subject.name}`;
    case 'Group':
      return `group ${subject.name}`;
    case 'ServiceAccount': {
      const own = (subject.namespace ?? '') === '' ? namespace : subject.namespace!;
      return own === '' ? undefined : `user ${accountUserName(own, subject.name)}`;
    }
    default:
      return undefined;
  }
}

/** The bindings of one kind by namespace and subject, in the state of the cache at each question. */
export class BindingsIndex {
  readonly #content: (item: Item) => BindingContent;
  readonly #bySubject = new Map<string, Map<string, Bound>>();
  readonly #keysOf = new Map<string, readonly string[]>();
  /** The answers since the last change. */
  #found = new BoundedCache<string, readonly Bound[]>(REMEMBERED);
  readonly #follower: IndexFollower;

  constructor(cache: ResourceCache, content: (item: Item) => BindingContent) {
    this.#content = content;
    this.#follower = new IndexFollower(cache, {
      clear: () => {
        this.#bySubject.clear();
        this.#keysOf.clear();
        this.#forget();
      },
      add: (item) => {
        this.#add(item);
        this.#forget();
      },
      remove: (key) => {
        this.#remove(key);
        this.#forget();
      },
    });
  }

  /**
   * The bindings in a namespace ('' for cluster-wide bindings) that name a user or one of the groups, by binding name.
   */
  of(user: UserInfo, namespace: string): readonly Bound[] {
    this.#follower.catchUp();
    // The key contains all values on which the result depends. JSON separates them even if a name has unusual
    // characters.
    const who = JSON.stringify([namespace, user.name, user.groups]);
    let found = this.#found.get(who);
    if (found !== undefined) return found;
    found = this.#find(user, namespace);
    if (who.length <= LONGEST) this.#found.set(who, found);
    return found;
  }

  #find(user: UserInfo, namespace: string): readonly Bound[] {
    const found = [...this.#named(namespace, `user ${user.name}`)];
    for (const group of new Set(user.groups)) append(found, this.#named(namespace, `group ${group}`));
    if (found.length < 2) return found;
    const once = new Map<string, Bound>();
    for (const bound of found) if (!once.has(bound.name)) once.set(bound.name, bound);
    return [...once.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #named(namespace: string, subject: string): Iterable<Bound> {
    return this.#bySubject.get(`${namespace} ${subject}`)?.values() ?? [];
  }

  #forget(): void {
    if (this.#found.size > 0) this.#found = new BoundedCache(REMEMBERED);
  }

  #add(item: Item): void {
    const { subjects, roleRef } = this.#content(item);
    const keys: string[] = [];
    const role = roleKey(roleRef, item.namespace);
    for (const subject of subjects ?? []) {
      const key = subjectKey(subject, item.namespace);
      if (key === undefined) continue;
      const full = `${item.namespace} ${key}`;
      let bindings = this.#bySubject.get(full);
      if (bindings === undefined) this.#bySubject.set(full, (bindings = new Map()));
      if (bindings.has(item.key)) continue;
      bindings.set(item.key, { name: item.name, namespace: item.namespace, subject, roleRef, role });
      keys.push(full);
    }
    this.#keysOf.set(item.key, keys);
  }

  #remove(key: string): void {
    for (const full of this.#keysOf.get(key) ?? []) {
      const bindings = this.#bySubject.get(full);
      bindings?.delete(key);
      if (bindings?.size === 0) this.#bySubject.delete(full);
    }
    this.#keysOf.delete(key);
  }
}

import { BoundedCache } from '#base/collections/bounded-cache.ts';
import type { Client } from '#client/client.ts';
import type { Discovery } from '#client/discovery/discovery.ts';
import { isNotFound } from '#client/errors.ts';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import type { WatchedType, WatchedTypes } from './watched-types.ts';

export type OwnerReference = NonNullable<ObjectMeta['ownerReferences']>[number];

/**
 * The state of an owner:
 * - `there`: it keeps its dependents;
 * - `waiting`: it is being deleted, after its dependents;
 * - `absent`: the server itself has answered that it does not exist;
 * - `unknown`: its kind is not served, or the reference of a namespaced object lacks the namespace.
 */
export type OwnerState = 'there' | 'waiting' | 'absent' | 'unknown';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/**
 * The number of absent owners to remember. If the memory is full, it is emptied. This costs only one more request for
 * each owner.
 */
const MOST_REMEMBERED = 10_000;

/** Finds owners: first in the copies, then on the server. */
export class Owners {
  readonly #types: WatchedTypes;
  readonly #client: Client;
  readonly #discovery: Discovery;
  /** References to owners that were absent. A uid is never used again, so the owner stays absent. */
  readonly #absent = new Set<string>();
  /** Uids of objects whose end a copy has shown. */
  readonly #ended = new Set<string>();
  /** The namespaces of owners, by uid, for owners that were searched in all namespaces; '' if there is none. */
  readonly #homes = new BoundedCache<string, string>(MOST_REMEMBERED);
  readonly #asking = new Map<string, Promise<OwnerState>>();

  constructor(types: WatchedTypes, client: Client, discovery: Discovery) {
    this.#types = types;
    this.#client = client;
    this.#discovery = discovery;
  }

  /** The owner in the copies, if it has this uid and its namespace allows it to own an object in this namespace. */
  known(reference: OwnerReference, namespace: string | undefined): Known | undefined {
    const watched = this.#types.ofKind(groupIn(reference.apiVersion), reference.kind);
    if (watched === undefined) return undefined;
    const key = watched.type.namespaced ? `${namespace ?? ''}/${reference.name}` : reference.name;
    const object = watched.objects.get(key);
    return object !== undefined && object.metadata.uid === reference.uid ? { watched, object, key } : undefined;
  }

  /** Whether the copy that would contain the owner is not filled yet. */
  isFilling({ apiVersion, kind }: OwnerReference, withinMs: number): boolean {
    const watched = this.#types.ofKind(groupIn(apiVersion), kind);
    if (watched === undefined) return this.#types.unfilled(withinMs) === undefined;
    return !watched.objects.filled && performance.now() - watched.since < withinMs;
  }

  async stateOf(reference: OwnerReference, namespace: string | undefined): Promise<OwnerState> {
    const known = this.known(reference, namespace);
    if (known !== undefined && !waits(known.object)) return 'there';
    const { apiVersion, kind, name, uid } = reference;
    const id = JSON.stringify([apiVersion, kind, namespace, name, uid]);
    if (this.#absent.has(id)) return 'absent';
    let asking = this.#asking.get(id);
    if (asking === undefined) {
      asking = this.#ask(reference, namespace).finally(() => this.#asking.delete(id));
      this.#asking.set(id, asking);
    }
    const state = await asking;
    if (state === 'absent') remember(this.#absent, id);
    return state;
  }

  /** Whether the owner exists, but in a namespace from which it cannot own an object in this namespace. */
  isElsewhere({ apiVersion, kind, uid }: OwnerReference, namespace: string | undefined): boolean {
    const watched = this.#types.ofKind(groupIn(apiVersion), kind);
    if (watched === undefined || !watched.type.namespaced || this.#ended.has(uid)) return false;
    let home = this.#homes.get(uid);
    if (home === undefined) {
      // An index would cost memory for every object, for a rare mistake.
      for (const { metadata } of watched.objects.all()) if (metadata.uid === uid) home = metadata.namespace;
      this.#homes.set(uid, home ?? '');
    }
    return Boolean(home) && home !== namespace;
  }

  /** Records that an object ended. If its type ends too, the server can no longer answer questions about it. */
  sawEnd({ metadata }: ApiObject): void {
    remember(this.#ended, metadata.uid ?? '');
  }

  async #ask({ apiVersion, kind, name, uid }: OwnerReference, namespace: string | undefined): Promise<OwnerState> {
    const type = (await this.#discovery.get()).ofKind(apiVersion, kind);
    if (type === undefined) return this.#ended.has(uid) ? 'absent' : 'unknown';
    if (type.namespaced && !namespace) return 'unknown';
    try {
      const owners = this.#client.resource(type).in(namespace).metadataOnly();
      const owner = await owners.get(name);
      if (owner.metadata.uid !== uid) return 'absent';
      return waits(owner) ? 'waiting' : 'there';
    } catch (error) {
      // A server that does not know the type yet or no longer also answers 404, but that answer names no object.
      if (isNotFound(error) && (error as { status?: { details?: { name?: string } } }).status?.details?.name === name)
        return 'absent';
      throw error;
    }
  }
}

export interface Known {
  readonly watched: WatchedType;
  readonly object: ApiObject;
  readonly key: string;
}

/** Whether a reference names this object and is valid in `namespace`. */
export function refersTo(
  reference: OwnerReference,
  namespace: string | undefined,
  { type }: WatchedType,
  { metadata }: ApiObject,
): boolean {
  return (
    reference.uid === metadata.uid &&
    reference.name === metadata.name &&
    reference.kind === type.kind &&
    groupIn(reference.apiVersion) === type.group &&
    (!type.namespaced || metadata.namespace === namespace)
  );
}

/** Whether an object is being deleted and waits until its dependents are deleted. */
export function waits({ metadata }: ApiObject): boolean {
  return Boolean(metadata.deletionTimestamp) && metadata.finalizers?.includes(FOREGROUND) === true;
}

function groupIn(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

function remember(values: Set<string>, value: string): void {
  if (values.size >= MOST_REMEMBERED) values.clear();
  values.add(value);
}

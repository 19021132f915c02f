import type { ObjectMeta, OwnerReference } from '#schema/objects/api-object.ts';
import type { Client } from './client.ts';
import type { DiscoveredType } from './discovery/discovered.ts';
import type { MetadataObject } from './resource-client.ts';

/** An object of a type. */
export interface TypedMetadata {
  readonly type: DiscoveredType;
  readonly object: MetadataObject;
}

/** The types and the namespace that {@link readFamilies} reads, and the limit of objects. */
export interface FamilyNeed {
  readonly types: readonly DiscoveredType[];
  /** Undefined means all namespaces. */
  readonly namespace: string | undefined;
  /** The largest number of objects; without it, all objects. */
  readonly most?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How many types are listed at the same time. */
const AT_ONCE = 8;
const PAGE = 500;

/** How many levels of owners are followed. */
const MOST_GENERATIONS = 20;

/**
 * Objects and the objects that own them, by owner references. Each entry has the name, the owners and the times of an
 * object.
 */
export class Families {
  /** The types that could not be listed, with the reason. */
  readonly unread: ReadonlyMap<string, unknown>;
  /** Whether there are more objects than the limit allows. */
  readonly isCut: boolean;
  readonly #byUid: ReadonlyMap<string, TypedMetadata>;
  readonly #byOwner: ReadonlyMap<string, readonly TypedMetadata[]>;

  constructor(objects: readonly TypedMetadata[], unread: ReadonlyMap<string, unknown>, isCut: boolean) {
    this.unread = unread;
    this.isCut = isCut;
    this.#byUid = new Map(objects.map((each) => [each.object.metadata.uid ?? '', each]));
    const byOwner = new Map<string, TypedMetadata[]>();
    for (const each of objects)
      for (const { uid } of each.object.metadata.ownerReferences ?? []) {
        const owned = byOwner.get(uid);
        if (owned === undefined) byOwner.set(uid, [each]);
        else owned.push(each);
      }
    for (const owned of byOwner.values()) owned.sort((a, b) => (label(a) < label(b) ? -1 : 1));
    this.#byOwner = byOwner;
  }

  /** The direct dependents of an object, by kind and name. */
  ownedBy(uid: string): readonly TypedMetadata[] {
    return this.#byOwner.get(uid) ?? [];
  }

  /**
   * The owners of an object and their owners, with the farthest owner first. If an object has several owners, only the
   * controlling owner is used.
   */
  ownersOf({ metadata }: MetadataObject): readonly TypedMetadata[] {
    const owners: TypedMetadata[] = [];
    let references: readonly OwnerReference[] = metadata.ownerReferences ?? [];
    while (owners.length < MOST_GENERATIONS) {
      const reference = references.find(({ controller }) => controller === true) ?? references[0];
      const owner = reference === undefined ? undefined : this.#byUid.get(reference.uid);
      if (owner === undefined || owners.includes(owner)) break;
      owners.unshift(owner);
      references = owner.object.metadata.ownerReferences ?? [];
    }
    return owners;
  }
}

/**
 * Lists the metadata of all objects of some types, and finds owners and dependents. The result names the types that the
 * user may not list. The call rejects only if the signal aborts.
 */
export async function readFamilies(client: Client, need: FamilyNeed): Promise<Families> {
  const { namespace, most = Number.POSITIVE_INFINITY, signal } = need;
  // Objects that cannot be deleted, such as measurements, are not stored and have no owners.
  const types = need.types.filter(({ verbs }) => verbs.includes('delete'));
  const objects: TypedMetadata[] = [];
  const unread = new Map<string, unknown>();
  let [next, looked, isCut] = [0, 0, false];
  const work = async (): Promise<void> => {
    for (let type = types[next++]; type !== undefined; type = types[next++])
      try {
        const resource = client.resource(type).in(namespace).metadataOnly();
        for await (const { items } of resource.pages({ limit: PAGE, signal })) {
          looked += items.length;
          isCut ||= looked > most;
          if (isCut) return;
          for (const { metadata } of items) objects.push({ type, object: { metadata: partOf(metadata) } });
        }
      } catch (error) {
        signal?.throwIfAborted();
        unread.set(type.plural, error);
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return new Families(objects, unread, isCut);
}

/** The name and the owners of an object. The whole metadata would need ten times as much memory. */
function partOf(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, ownerReferences, creationTimestamp, deletionTimestamp } = metadata;
  const some = { name, namespace, uid, ownerReferences, creationTimestamp, deletionTimestamp };
  return Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined));
}

function label({ type, object }: TypedMetadata): string {
  return `${type.kind}/${object.metadata.name}`;
}

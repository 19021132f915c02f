import type { Condition, ObjectStore, Write } from '#storage-etcd/object-store.ts';
import type { Allocation } from '../api/resource-definition.ts';

/** The object that holds a claim. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Where claims on cluster IPs lie; the canonical address follows. */
export function clusterIpClaims(etcdPrefix: string): string {
  return `${etcdPrefix}/claims/cluster-ips/`;
}

/** Where claims on node ports lie; the number follows. */
export function nodePortClaims(etcdPrefix: string): string {
  return `${etcdPrefix}/claims/node-ports/`;
}

/** A claim as it is stored. */
export function claimValue({ namespace, name, uid }: Owner): Buffer {
  return Buffer.from(JSON.stringify({ namespace, name, uid }));
}

/** Reads a stored claim; undefined when it cannot be read and so has no owner. */
export function claimOwner(value: Buffer): Owner | undefined {
  try {
    const owner = JSON.parse(value.toString()) as Partial<Owner> | null;
    if (typeof owner?.namespace !== 'string' || typeof owner.name !== 'string') return undefined;
    return { namespace: owner.namespace, name: owner.name, uid: owner.uid ?? '' };
  } catch {
    return undefined;
  }
}

export function sameOwner(a: Owner | undefined, b: Owner): boolean {
  return a?.namespace === b.namespace && a.name === b.name && a.uid === b.uid;
}

/**
 * What one object claims and gives back, to be written in the same transaction as the object: a claim is a key that
 * must not be there before, so that of two replicas that chose the same one only one commits.
 */
export class Claims {
  readonly #store: ObjectStore;
  readonly #owner: Owner;
  readonly #conditions = new Map<string, Condition>();
  readonly #writes = new Map<string, Write>();

  constructor(store: ObjectStore, owner: Owner) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Takes a claim, unless another object holds it or it was taken here before. */
  async take(key: string): Promise<boolean> {
    if (this.#conditions.has(key)) return false;
    const held = await this.#store.get(key);
    if (held !== undefined && !sameOwner(claimOwner(held.value), this.#owner)) return false;
    this.#conditions.set(key, { key, revision: held?.revision ?? 0 });
    if (held === undefined) this.#writes.set(key, { key, value: claimValue(this.#owner) });
    return true;
  }

  /** Gives a claim back, if it is the object's. */
  async release(key: string): Promise<void> {
    const held = await this.#store.get(key);
    if (held === undefined || !sameOwner(claimOwner(held.value), this.#owner)) return;
    this.removeAt(key, held.revision);
  }

  /** Removes another key, if it has not changed since. */
  removeAt(key: string, revision: number): void {
    this.#conditions.set(key, { key, revision });
    this.#writes.set(key, { key });
  }

  get size(): number {
    return this.#conditions.size;
  }

  get allocation(): Allocation {
    return { conditions: [...this.#conditions.values()], writes: [...this.#writes.values()] };
  }
}

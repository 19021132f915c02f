import { claimOwner, claimValue, type Owner, sameOwner } from '#schema/claims/claim.ts';
import type { Condition, ObjectStore, Write } from '#storage/object-store.ts';
import type { Allocation } from '../api/resource-definition.ts';

/**
 * What one object claims and gives back, written in the same transaction as the object. A claim is a key that must not
 * exist before, so when two replicas choose the same address, only one of them commits.
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

  /** Takes a claim. False when another object holds it, or when this object took it before. */
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

  /** Removes a key, if it is still at this revision. */
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

import { claimOwner, claimValue, type Owner, sameOwner } from '#schema/claims/claim.ts';
import type { Condition, ObjectStore, Write } from '#storage/object-store.ts';
import type { Allocation } from '../api/resource-definition.ts';

import type { AddressObjects } from './address-objects.ts';

/**
 * The names and numbers that one object claims and releases. They are written in the same transaction as the object. A
 * claim is a key that must not exist before, so if two replicas choose the same address, only one of them commits.
 */
export class Claims {
  readonly #store: ObjectStore;
  readonly #owner: Owner;
  readonly #objects: AddressObjects | undefined;
  readonly #conditions = new Map<string, Condition>();
  readonly #writes = new Map<string, Write>();

  /** @param objects the objects that show claims to clients, in the releases that have such objects */
  constructor(store: ObjectStore, owner: Owner, objects?: AddressObjects) {
    this.#store = store;
    this.#owner = owner;
    this.#objects = objects;
  }

  /** Claims a key. False if another object holds it, or if this object claimed it before. */
  async take(key: string): Promise<boolean> {
    if (this.#conditions.has(key)) return false;
    const held = await this.#store.get(key);
    if (held !== undefined && !sameOwner(claimOwner(held.value), this.#owner)) return false;
    if (!(await this.#show(key))) return false;
    this.#conditions.set(key, { key, revision: held?.revision ?? 0 });
    if (held === undefined) this.#writes.set(key, { key, value: claimValue(this.#owner) });
    return true;
  }

  /** Releases a claim of this object. */
  async release(key: string): Promise<void> {
    const held = await this.#store.get(key);
    if (held === undefined || !sameOwner(claimOwner(held.value), this.#owner)) return;
    this.removeAt(key, held.revision);
    const shown = this.#objects?.keyOf(key);
    const object = shown === undefined ? undefined : await this.#store.get(shown);
    if (object !== undefined && this.#objects?.shows(object.value, this.#owner) === true)
      this.removeAt(object.key, object.revision);
  }

  /** Writes the object that shows a claim. Returns false if the object exists and shows another claim. */
  async #show(claim: string): Promise<boolean> {
    const key = this.#objects?.keyOf(claim);
    if (this.#objects === undefined || key === undefined) return true;
    const found = await this.#store.get(key);
    if (found !== undefined && !this.#objects.shows(found.value, this.#owner)) return false;
    this.#conditions.set(key, { key, revision: found?.revision ?? 0 });
    if (found === undefined) this.#writes.set(key, { key, value: this.#objects.value(key, this.#owner) });
    return true;
  }

  /** Removes a key if it still has this revision. */
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

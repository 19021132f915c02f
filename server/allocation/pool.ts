import { randomInt } from 'node:crypto';
import type { ObjectStore } from '#storage/object-store.ts';
import type { Claims } from './claims.ts';

/** The number of random members to try before all claims are read. */
const PROBES = 8;
/** How often the server chooses from all free members again if other replicas always claim its choice first. */
const CHOICES = 16;
/**
 * How long a member that was chosen here is not chosen again, in milliseconds, because its transaction is in progress.
 */
const UNDER_WAY_MS = 5_000;

/** The inputs of a pool. */
export interface PoolMembers {
  readonly size: number;
  /**
   * The number of reserved members at the start. Clients get them only if they ask for them, or if no others are free.
   */
  readonly reserved: number;
  /** The text of a member's claim key after the pool's prefix. */
  keyAt(index: number): string;
  /** The reverse of `keyAt`; undefined for claims that are not in the pool. */
  indexOfKey(key: string): number | undefined;
}

/** Chooses members of a pool at random. It remembers only the members that this replica is about to write. */
export class Pool {
  readonly #members: PoolMembers;
  readonly #underWay = new Map<number, number>();

  constructor(members: PoolMembers) {
    this.#members = members;
  }

  /** Claims any free member; undefined if there is none. `prefix` is the prefix of the pool's claims. */
  async takeAny(claims: Claims, store: ObjectStore, prefix: string): Promise<number | undefined> {
    this.#forget();
    const { size, reserved } = this.#members;
    if (size === 0) return undefined;
    for (let probe = 0; probe < PROBES && reserved < size; probe++) {
      const index = randomInt(reserved, size);
      if (!this.#underWay.has(index) && (await this.#take(index, claims, prefix))) return index;
    }
    for (let choice = 0; choice < CHOICES; choice++) {
      const free = await this.#free(store, prefix);
      if (free.length === 0) return undefined;
      const index = free[randomInt(free.length)]!;
      if (await this.#take(index, claims, prefix)) return index;
    }
    return undefined;
  }

  async #take(index: number, claims: Claims, prefix: string): Promise<boolean> {
    this.#underWay.delete(index); // The entry is added at the end, so that the map stays in the order of the times.
    this.#underWay.set(index, performance.now() + UNDER_WAY_MS);
    return claims.take(prefix + this.#members.keyAt(index));
  }

  /** The free members to choose first: those that are neither reserved nor about to be written. */
  async #free(store: ObjectStore, prefix: string): Promise<number[]> {
    const { size, reserved } = this.#members;
    const used = new Set<number | undefined>();
    const { items } = await store.list(prefix, { keysOnly: true });
    for (const { key } of items) used.add(this.#members.indexOfKey(key.slice(prefix.length)));
    const free: number[] = [];
    for (let index = 0; index < size; index++) if (!used.has(index)) free.push(index);
    const quiet = free.filter((index) => !this.#underWay.has(index));
    for (const choice of [quiet.filter((index) => index >= reserved), quiet]) if (choice.length > 0) return choice;
    return free;
  }

  #forget(): void {
    const now = performance.now();
    for (const [index, until] of this.#underWay) {
      if (until > now) return;
      this.#underWay.delete(index);
    }
  }
}

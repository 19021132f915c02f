/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  /** The streams of one seed do not depend on each other. */
  constructor(seed: number, stream = 0) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  }

  /** A number that is at least 0 and below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 on that is below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** Chooses one of several ways. The weight of a way is its relative probability. */
  weighed<T>(...ways: readonly [weight: number, make: () => T][]): T {
    let left = this.next() * ways.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of ways) if ((left -= weight) < 0) return make();
    return ways.at(-1)![1]();
  }
}

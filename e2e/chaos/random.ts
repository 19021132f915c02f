/** Random choices that are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A new sequence. The use of this sequence does not change it. */
  fork(index: number): Random {
    return new Random(Math.imul(this.#state ^ (index + 1), 0x9e3779b1));
  }

  /** A number that is at least 0 and below 1 (the generator is known as mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from `low` up to and including `high`. */
  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  of<T>(values: readonly T[]): T {
    return values[this.between(0, values.length - 1)]!;
  }

  /** Chooses one of several values; the weight of a value is its relative probability. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.fraction() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) if ((left -= weight) < 0) return value;
    return choices.at(-1)![1];
  }
}

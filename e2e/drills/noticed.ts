/** Records the longest time without a certain event, and what happened in that time. */
export class Noticed {
  readonly #failures = new Map<string, number>();
  #last = performance.now();
  #longest = 0;
  #successes = 0;

  success(): void {
    this.#successes++;
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }

  failure(why: string): void {
    this.#failures.set(why, (this.#failures.get(why) ?? 0) + 1);
  }

  /** Starts to record events. */
  begin(): void {
    this.#failures.clear();
    this.#successes = 0;
    this.#last = performance.now();
    this.#longest = 0;
  }

  get successes(): number {
    return this.#successes;
  }

  get failures(): ReadonlyMap<string, number> {
    return this.#failures;
  }

  toString(): string {
    const failed = [...this.#failures].map(([why, times]) => `${times} × ${why}`).join(', ');
    return `${(this.#longest / 1000).toFixed(1)} s${failed && ` (${failed})`}`;
  }
}

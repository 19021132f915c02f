/** The longest time for which something did not happen, and what happened in its place. */
export class Noticed {
  readonly #failures = new Map<string, number>();
  #last = performance.now();
  #longest = 0;

  success(): void {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }

  failure(why: string): void {
    this.#failures.set(why, (this.#failures.get(why) ?? 0) + 1);
  }

  /** From now on. */
  begin(): void {
    this.#failures.clear();
    this.#last = performance.now();
    this.#longest = 0;
  }

  /** Milliseconds. */
  get longest(): number {
    return this.#longest;
  }

  get failures(): ReadonlyMap<string, number> {
    return this.#failures;
  }

  toString(): string {
    const failed = [...this.#failures].map(([why, times]) => `${times} × ${why}`).join(', ');
    return `${(this.#longest / 1000).toFixed(1)} s${failed && ` (${failed})`}`;
  }
}

/** A bucket of tokens that limits events to `qps` per second in the long run, and to `burst` at once. */
export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  /** The time in milliseconds at which `#tokens` was correct. */
  #at: number;

  constructor(qps: number, burst: number, now: () => number = performance.now.bind(performance)) {
    this.#qps = qps;
    this.#burst = burst;
    this.#now = now;
    this.#tokens = burst;
    this.#at = now();
  }

  /** Takes `count` tokens. If there are not enough, it takes none and returns false. */
  take(count = 1): boolean {
    this.#fill();
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes a token, even one that does not exist yet. Returns the number of milliseconds until it exists. */
  reserve(): number {
    this.#fill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#qps) * 1000;
  }

  #fill(): void {
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#qps);
    this.#at = now;
  }
}

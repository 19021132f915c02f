import { setTimeout as sleep } from 'node:timers/promises';

/** A bucket of tokens that fills with `qps` tokens a second up to `burst`. Callers get theirs in turn. */
export class RateLimit {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  #at: number;

  /** @param qps 0 or less for no limit */
  constructor(qps: number, burst: number, now: () => number = () => performance.now()) {
    this.#perMs = qps > 0 ? qps / 1000 : Number.POSITIVE_INFINITY;
    this.#burst = Math.max(1, burst);
    this.#now = now;
    this.#tokens = this.#burst;
    this.#at = now();
  }

  /** Takes a token and says after how many milliseconds it may be used. */
  reserve(): number {
    if (this.#perMs === Number.POSITIVE_INFINITY) return 0;
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  async take(signal: AbortSignal): Promise<void> {
    const wait = this.reserve();
    if (wait > 0) await sleep(wait, undefined, { signal });
  }
}

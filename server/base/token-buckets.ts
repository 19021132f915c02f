import { BoundedCache } from './bounded-cache.ts';

interface Bucket {
  tokens: number;
  /** When `tokens` was right, in milliseconds. */
  at: number;
}

/** A rate limit for each key: `qps` per second in the long run, `burst` at once. Keys used least recently are forgotten. */
export class TokenBuckets {
  readonly #qps: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets: BoundedCache<string, Bucket>;

  constructor(qps: number, burst: number, limit: number, now: () => number = performance.now.bind(performance)) {
    this.#qps = qps;
    this.#burst = burst;
    this.#now = now;
    this.#buckets = new BoundedCache(limit);
  }

  /** Takes a token; false when there is none. */
  take(key: string): boolean {
    const now = this.#now();
    const known = this.#buckets.get(key);
    const bucket = known ?? { tokens: this.#burst, at: now };
    if (known === undefined) this.#buckets.set(key, bucket);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.at) / 1000) * this.#qps);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}

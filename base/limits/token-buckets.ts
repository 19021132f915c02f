import { BoundedCache } from '../collections/bounded-cache.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * A {@link TokenBucket} for each key. If there are more than `limit` keys, the least recently used keys are removed.
 */
export class TokenBuckets {
  readonly #make: () => TokenBucket;
  readonly #buckets: BoundedCache<string, TokenBucket>;

  constructor(qps: number, burst: number, limit: number, now?: () => number) {
    this.#make = () => new TokenBucket(qps, burst, now);
    this.#buckets = new BoundedCache(limit);
  }

  /** Takes a token; false if the bucket is empty. */
  take(key: string): boolean {
    const known = this.#buckets.get(key);
    const bucket = known ?? this.#make();
    if (known === undefined) this.#buckets.set(key, bucket);
    return bucket.take();
  }
}

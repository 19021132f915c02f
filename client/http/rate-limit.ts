import { setTimeout as sleep } from 'node:timers/promises';
import { TokenBucket } from '#base/limits/token-bucket.ts';
import { timerMs } from '#base/time/longest-timer.ts';

/** Lets callers continue one after the other: `qps` callers per second, and up to `burst` at once. */
export class RateLimit {
  readonly #bucket: TokenBucket | undefined;

  /** @param qps the number of callers per second; 0 or less for no limit */
  constructor(qps: number, burst: number, now?: () => number) {
    this.#bucket = qps > 0 ? new TokenBucket(qps, Math.max(1, burst), now) : undefined;
  }

  /** Takes a token and returns the number of milliseconds until it may be used. */
  reserve(): number {
    return this.#bucket?.reserve() ?? 0;
  }

  async take(signal: AbortSignal): Promise<void> {
    const wait = this.reserve();
    if (wait > 0) await sleep(timerMs(wait), undefined, { signal });
  }
}

import { timerMs } from '#base/time/longest-timer.ts';
import type { Statements } from './statements.ts';

/** The window in which later keys join a lease, as a share of their time to live. */
const WINDOW_SHARE = 0.05;

/** The largest number of keys of a lease. All of them are removed at one revision, in one step. */
export const MOST_KEYS = 200;

interface Lease {
  readonly id: number;
  readonly joinUntil: number;
  keys: number;
}

/**
 * Leases by time to live, like those of etcd: keys that share a lease are removed together. Every key lives at least
 * its time to live, and at most one window longer. After a start every lease begins again, because no clock advanced in
 * the meantime.
 */
export class Leases {
  readonly #windowSeconds: number;
  readonly #clock: () => number;
  readonly #deadlines = new Map<number, number>();
  readonly #open = new Map<number, Lease>();
  #next: number;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Removes the keys of a lease. It is set when expiry begins. */
  #expire: ((lease: number) => Promise<void>) | undefined;

  /**
   * `stored` has the id and the seconds of each lease in the store. `windowSeconds` is the longest time in which keys
   * join a lease.
   */
  constructor(stored: readonly (readonly [id: number, seconds: number])[], windowSeconds: number, clock: () => number) {
    this.#windowSeconds = windowSeconds;
    this.#clock = clock;
    this.#next = 1;
    for (const [id, seconds] of stored) {
      this.#deadlines.set(id, clock() + seconds * 1_000);
      this.#next = Math.max(this.#next, id + 1);
    }
  }

  /** Starts to remove expired leases. `expire` removes one lease. After a rejection it is called again. */
  begin(expire: (lease: number) => Promise<void>): void {
    this.#expire = expire;
    this.#schedule();
  }

  end(): void {
    this.#expire = undefined;
    clearTimeout(this.#timer);
  }

  /** The lease for one key with this time to live in seconds. */
  leaseFor(ttlSeconds: number, statements: Statements): number {
    const now = this.#clock();
    const open = this.#open.get(ttlSeconds);
    if (open !== undefined && open.keys < MOST_KEYS && now < open.joinUntil) {
      open.keys++;
      return open.id;
    }
    const window = Math.min(this.#windowSeconds, ttlSeconds * WINDOW_SHARE);
    const seconds = ttlSeconds + window;
    const id = this.#next++;
    statements.insertLease.run(id, seconds);
    this.#open.set(ttlSeconds, { id, joinUntil: now + window * 1_000, keys: 1 });
    this.#deadlines.set(id, now + seconds * 1_000);
    this.#schedule();
    return id;
  }

  /** The remaining seconds of a lease; undefined if it has ended. */
  secondsLeft(lease: number): number | undefined {
    const deadline = this.#deadlines.get(lease);
    return deadline === undefined ? undefined : Math.max(0, deadline - this.#clock()) / 1_000;
  }

  /** A transaction was rolled back, and perhaps its leases with it. Begins again with new leases. */
  forget(): void {
    this.#open.clear();
  }

  #schedule(): void {
    if (this.#expire === undefined) return;
    let first = Number.POSITIVE_INFINITY;
    for (const deadline of this.#deadlines.values()) first = Math.min(first, deadline);
    if (first >= this.#timerAt && this.#timer !== undefined) return;
    clearTimeout(this.#timer);
    this.#timerAt = first;
    if (first === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => void this.#look(), timerMs(first - this.#clock())).unref();
  }

  async #look(): Promise<void> {
    const now = this.#clock();
    for (const [id, deadline] of this.#deadlines) {
      if (deadline > now || this.#expire === undefined) continue;
      try {
        await this.#expire(id);
        this.#deadlines.delete(id);
      } catch {
        // The store reports its errors itself.
        this.#deadlines.set(id, now + AGAIN_MS);
      }
    }
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#schedule();
  }
}

/** The time until the next attempt to end a lease that could not be ended, in milliseconds. */
const AGAIN_MS = 1_000;

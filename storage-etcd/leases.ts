import type { Endpoints } from './endpoints.ts';
import { failureOf } from './failure.ts';
import type { Settings } from './options.ts';
import { Attempts } from './retry.ts';

interface Lease {
  readonly id: string;
  /** The time until which keys join the lease, in milliseconds of the monotonic clock. */
  readonly joinUntil: number;
  keys: number;
}

/**
 * Leases by time to live. Keys written within a short window share one lease, because granting a lease is a write too.
 * A lease is granted for the time to live plus the window, and new keys join it only during the window. So every key
 * lives at least its time to live, and at most one window longer.
 */
export class Leases {
  readonly #endpoints: Endpoints;
  readonly #settings: Settings;
  readonly #open = new Map<number, Lease>();
  readonly #granting = new Map<number, Promise<Lease>>();

  constructor(endpoints: Endpoints, settings: Settings) {
    this.#endpoints = endpoints;
    this.#settings = settings;
  }

  /**
   * The id of a lease for one key with this lifetime in seconds.
   *
   * @throws StoreUnavailableError
   */
  async leaseFor(ttlSeconds: number): Promise<string> {
    for (;;) {
      const lease = this.#open.get(ttlSeconds);
      if (lease && lease.keys < this.#settings.leases.maxKeys && performance.now() < lease.joinUntil) {
        lease.keys += 1;
        return lease.id;
      }
      let granting = this.#granting.get(ttlSeconds);
      if (!granting) {
        granting = this.#grant(ttlSeconds).finally(() => this.#granting.delete(ttlSeconds));
        this.#granting.set(ttlSeconds, granting);
      }
      const granted = await granting;
      // A caller may wait longer than the window for a turn of the event loop. It still gets this lease once.
      if (granted.keys === 0) {
        granted.keys = 1;
        return granted.id;
      }
    }
  }

  /**
   * The store lost a lease, because it was restored or because a client revoked the lease. Starts again with new
   * leases.
   */
  forget(): void {
    this.#open.clear();
  }

  async #grant(ttlSeconds: number): Promise<Lease> {
    const endpoints = this.#endpoints;
    const settings = this.#settings;
    const window = Math.min(settings.leases.windowSeconds, ttlSeconds * settings.leases.windowShare);
    const attempts = new Attempts(endpoints, settings.unavailableAfterMs);
    for (;;) {
      const endpoint = endpoints.current();
      const startedAt = performance.now();
      try {
        const id = await endpoint.grantLease(Math.ceil(ttlSeconds + window), settings.readTimeoutMs);
        const lease: Lease = { id, joinUntil: startedAt + window * 1_000, keys: 0 };
        this.#open.set(ttlSeconds, lease);
        return lease;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind === 'refused') throw failure.error;
        // If the lease was granted although the answer was lost, this is harmless: a lease without keys expires.
        await attempts.next(endpoint, failure.message);
      }
    }
  }
}

import type { Pool } from 'undici';
import { sameTrust, type Trust } from '#program/connection/kept-connections.ts';
import { openPool, type PoolLimits } from '#program/connection/open-pool.ts';

/**
 * The largest number of addresses of one server with connections; a new address replaces the least recently used one.
 */
const MAX_ADDRESSES = 64;

/**
 * Connections to one server, which may have several addresses. They are kept, and their number for each address is
 * limited. When the trusted authorities change, new connections replace them. Requests in progress on old connections
 * still end normally.
 */
export class Pools {
  readonly #limits: PoolLimits;
  readonly #pools = new Map<string, Pool>();
  #trust: Trust;

  constructor(trust: Trust, limits: PoolLimits) {
    this.#trust = trust;
    this.#limits = limits;
  }

  /**
   * The connections with an address, `https://host:port`.
   * @throws Error if it is not an address
   */
  at(origin: string, trust: Trust): Pool {
    if (!sameTrust(trust, this.#trust)) {
      this.close();
      this.#trust = trust;
    }
    const known = this.#pools.get(origin);
    if (known !== undefined) {
      if (this.#pools.size === 1) return known;
      this.#pools.delete(origin);
      this.#pools.set(origin, known);
      return known;
    }
    const pool = openPool(origin, trust, this.#limits);
    this.#pools.set(origin, pool);
    if (this.#pools.size > MAX_ADDRESSES) {
      const [oldest] = this.#pools.entries();
      this.#pools.delete(oldest![0]);
      void oldest![1].close();
    }
    return pool;
  }

  /** Starts no more requests over these connections; running ones finish. */
  close(): void {
    for (const pool of this.#pools.values()) void pool.close();
    this.#pools.clear();
  }

  /** Ends all connections at once. */
  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

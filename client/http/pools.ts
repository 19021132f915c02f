import type { Pool } from 'undici';
import { openPool, sameTrust, type Trust } from '../../server/connection/kept-connections.ts';

/** Requests under way at once on one server; more wait their turn. */
const CONNECTIONS = 12;
/** Kept connections end before a server, or a load balancer, would give them up under a request. */
const KEEP_ALIVE_MS = 20_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Kept connections to one server: one pool for requests, and one for watches, which occupy a connection each and would
 * leave none for requests. When the identity changes new connections are made with it; what is under way on the old
 * ones ends in its own time.
 */
export class Pools {
  readonly #origin: string;
  #identity: Trust | undefined;
  #requests: Pool | undefined;
  #watches: Pool | undefined;

  constructor(origin: string) {
    this.#origin = origin;
  }

  for(kind: 'request' | 'watch', identity: Trust): Pool {
    if (this.#identity === undefined || !sameTrust(this.#identity, identity)) {
      void this.close();
      this.#identity = identity;
    }
    if (kind === 'watch') return (this.#watches ??= this.#open(identity, null));
    return (this.#requests ??= this.#open(identity, CONNECTIONS));
  }

  /** Resolves when what is under way has ended. */
  async close(): Promise<void> {
    const pools = [this.#requests, this.#watches];
    this.#requests = this.#watches = undefined;
    await Promise.all(pools.map((pool) => pool?.close()));
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    const pools = [this.#requests, this.#watches];
    this.#requests = this.#watches = undefined;
    await Promise.all(pools.map((pool) => pool?.destroy()));
  }

  #open(identity: Trust, connections: number | null): Pool {
    const limits = { connections, connectTimeoutMs: CONNECT_TIMEOUT_MS, idleMs: KEEP_ALIVE_MS };
    return openPool(this.#origin, identity, limits);
  }
}

import type { Pool } from 'undici';
import { sameTrust, type Trust } from '#program/connection/kept-connections.ts';
import { type Dial, dialThrough } from '#program/connection/proxy.ts';
import type { Incoming } from './answer.ts';
import { CONNECT_TIMEOUT_MS, type Connections, KEEP_ALIVE_MS, MOST_REQUESTS, type Purpose } from './connections.ts';
import { askForUpgrade, exchange, type Outgoing, type Upgraded } from './exchange.ts';

type OpenPool = typeof import('#program/connection/open-pool.ts').openPool;

let openPoolOf: OpenPool | undefined;

/**
 * Loads the module that opens pools at its first use. Loading takes long, so a program that does not use pools does not
 * load it. An import before each request would cost a twentieth of the request.
 */
async function loadOpenPool(): Promise<OpenPool> {
  ({ openPool: openPoolOf } = await import('#program/connection/open-pool.ts'));
  return openPoolOf;
}

/** Connections for a process that makes many requests. It has a pool for requests, and a pool for watches. */
export class Pools implements Connections {
  readonly #origin: string;
  readonly #dialAs: (identity: Trust) => Dial | undefined;
  #identity: Trust | undefined;
  #requests: Pool | undefined;
  #watches: Pool | undefined;

  /**
   * @param way the address of a proxy, or the function that makes connections for an identity. By default connections
   * are direct.
   */
  constructor(origin: string, way?: string | ((identity: Trust) => Dial)) {
    this.#origin = origin;
    const proxy = typeof way === 'string' ? dialThrough(way, CONNECT_TIMEOUT_MS) : undefined;
    this.#dialAs = typeof way === 'function' ? way : () => proxy;
  }

  async exchange(purpose: Purpose, identity: Trust, outgoing: Outgoing): Promise<Incoming> {
    return exchange(await this.#for(purpose, identity), outgoing);
  }

  async askForUpgrade(identity: Trust, outgoing: Outgoing, protocol: string): Promise<Upgraded | Incoming> {
    return askForUpgrade(await this.#for('watch', identity), outgoing, protocol);
  }

  async destroy(): Promise<void> {
    const pools = this.#leave();
    await Promise.all(pools.map((pool) => pool?.destroy()));
  }

  async #for(purpose: Purpose, identity: Trust): Promise<Pool> {
    const openPool = openPoolOf ?? (await loadOpenPool());
    if (this.#identity === undefined || !sameTrust(this.#identity, identity)) {
      void Promise.all(this.#leave().map((pool) => pool?.close()));
      this.#identity = identity;
    }
    const open = (connections: number | null) => {
      const limits = {
        connections,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        idleMs: KEEP_ALIVE_MS,
        dial: this.#dialAs(identity),
      };
      return openPool(this.#origin, identity, limits);
    };
    if (purpose === 'watch') return (this.#watches ??= open(null));
    return (this.#requests ??= open(MOST_REQUESTS));
  }

  #leave(): readonly (Pool | undefined)[] {
    const pools = [this.#requests, this.#watches];
    this.#requests = this.#watches = undefined;
    return pools;
  }
}

import type { buildConnector, Pool } from 'undici';
import connector from 'undici/lib/core/connect.js';
import UndiciPool from 'undici/lib/dispatcher/pool.js';

/** As whom, and believing whom, connections are made; PEM texts. Without authorities those of this machine are believed. */
export interface Trust {
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  /** The name that the certificate must be for. */
  readonly serverName?: string | undefined;
  /** Believes anybody. */
  readonly insecure?: boolean | undefined;
}

/** What connections of TLS need to know of {@link Trust}. */
export function tlsOptions({ ca, cert, key, serverName, insecure }: Trust): object {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  };
}

/** Limits of the connections with one server; times in milliseconds. */
export interface PoolLimits {
  readonly connections: number;
  /** Of connecting, with the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
}

/** Addresses of one server with connections; the one that was used longest ago makes room for another. */
const MAX_ADDRESSES = 64;

/**
 * Connections with one server, which may be at several addresses: kept, bounded for each address, and made anew when whom to
 * trust changes. What is under way over connections of before comes to its end.
 */
export class Pools {
  readonly #limits: PoolLimits;
  readonly #pools = new Map<string, Pool>();
  #trust: Trust;

  constructor(trust: Trust, limits: PoolLimits) {
    this.#trust = trust;
    this.#limits = limits;
  }

  /** The connections with an address, `host:port`. Throws an Error where that is none. */
  at(authority: string, trust: Trust): Pool {
    if (!sameTrust(trust, this.#trust)) {
      this.close();
      this.#trust = trust;
    }
    const known = this.#pools.get(authority);
    if (known !== undefined) {
      if (this.#pools.size === 1) return known;
      this.#pools.delete(authority);
      this.#pools.set(authority, known);
      return known;
    }
    const { connections, connectTimeoutMs, idleMs } = this.#limits;
    const pool = new UndiciPool(`https://${authority}`, {
      connections,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // who asks knows how long that may take; a watch is silent for as long as nothing happens
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connectorFor(trust, connectTimeoutMs),
    });
    this.#pools.set(authority, pool);
    if (this.#pools.size > MAX_ADDRESSES) {
      const [oldest] = this.#pools.entries();
      this.#pools.delete(oldest![0]);
      void oldest![1].close();
    }
    return pool;
  }

  /** Begins nothing more over these connections; what is under way comes to its end. */
  close(): void {
    for (const pool of this.#pools.values()) void pool.close();
    this.#pools.clear();
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

/** Connections are for the name that is trusted, not for the one in the Host header. */
function connectorFor(trust: Trust, timeout: number): buildConnector.connector {
  const connect = connector({ ...tlsOptions(trust), timeout });
  const { serverName } = trust;
  if (serverName === undefined) return connect;
  return (options, done) => connect({ ...options, servername: serverName }, done);
}

function sameTrust(a: Trust, b: Trust): boolean {
  return (
    a === b ||
    (a.ca === b.ca &&
      a.cert === b.cert &&
      a.key === b.key &&
      a.serverName === b.serverName &&
      a.insecure === b.insecure)
  );
}

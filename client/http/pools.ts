import type { Pool } from 'undici';
import UndiciPool from 'undici/lib/dispatcher/pool.js';

/** As whom, and believing whom, connections are made. All are PEM texts. */
export interface TlsIdentity {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecure?: boolean | undefined;
}

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
  #identity: TlsIdentity | undefined;
  #requests: Pool | undefined;
  #watches: Pool | undefined;

  constructor(origin: string) {
    this.#origin = origin;
  }

  for(kind: 'request' | 'watch', identity: TlsIdentity): Pool {
    if (this.#identity === undefined || !sameIdentity(this.#identity, identity)) {
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

  #open({ ca, cert, key, serverName, insecure }: TlsIdentity, connections: number | null): Pool {
    const tls = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(insecure === true ? { rejectUnauthorized: false } : {}),
    };
    return new UndiciPool(this.#origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // Requests have deadlines of their own; a watch is silent for as long as nothing happens.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { ...tls, timeout: CONNECT_TIMEOUT_MS },
    });
  }
}

function sameIdentity(a: TlsIdentity, b: TlsIdentity): boolean {
  return (
    a === b ||
    (a.ca === b.ca &&
      a.cert === b.cert &&
      a.key === b.key &&
      a.serverName === b.serverName &&
      a.insecure === b.insecure)
  );
}

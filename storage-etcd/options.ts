import type { SecureContext } from 'node:tls';

/** How leases are shared; see `leases.ts`. */
export interface LeaseOptions {
  /** The longest time in seconds that new keys join a lease. Default 60. */
  readonly windowSeconds: number;
  /** The same time as a share of the time to live. The smaller of the two values is used. Default 0.05. */
  readonly windowShare: number;
  /**
   * The largest number of keys of a lease. If a lease has very many keys, its expiry blocks etcd for a long time.
   * Default 1,000.
   */
  readonly maxKeys: number;
}

export interface EtcdStoreOptions {
  /**
   * The members, at least one: `http://host:port` or `https://host:port`, or `unix://` or `unixs://` with the path of a
   * socket for a member on this machine.
   */
  readonly endpoints: readonly string[];
  /**
   * The prefix of all keys. Default `/registry`. The store has a few keys of its own at `<prefix>/store:…`, which
   * appear in lists and feeds of the whole prefix.
   */
  readonly prefix?: string;
  /**
   * The certificates that the store presents and trusts. By default it trusts the authorities of Node.js. A function is
   * called for each connection, so that renewed certificates are used without a restart.
   */
  readonly tls?: SecureContext | (() => SecureContext);
  readonly auth?: { readonly user: string; readonly password: string };
  /** The time limit of one attempt to read a key or a count. Default 1,000. */
  readonly readTimeoutMs?: number;
  /** The time limit of one attempt to read a range. Default 5,000, because a page may be many megabytes. */
  readonly listTimeoutMs?: number;
  /** The time limit of an attempt to write, and of the following search for its outcome. Default 3,000. */
  readonly writeTimeoutMs?: number;
  /**
   * How long the store repeats attempts that cannot reach any member. Default 800, which is longer than a reconnect.
   */
  readonly unavailableAfterMs?: number;
  /** How long a feed waits for the member to accept it. Default 2,000. */
  readonly openTimeoutMs?: number;
  readonly leases?: Partial<LeaseOptions>;
  /** Additional metadata of each call about keys, by name. The function runs at each call. */
  readonly metadata?: () => Readonly<Record<string, string>> | undefined;
}

/** The options with every default filled in. */
export interface Settings {
  readonly endpoints: readonly string[];
  readonly prefix: string;
  readonly tls: EtcdStoreOptions['tls'];
  readonly auth: { readonly user: string; readonly password: string } | undefined;
  readonly readTimeoutMs: number;
  readonly listTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly unavailableAfterMs: number;
  readonly openTimeoutMs: number;
  readonly leases: LeaseOptions;
  readonly metadata: EtcdStoreOptions['metadata'];
}

export function settingsOf(options: EtcdStoreOptions): Settings {
  if (options.endpoints.length === 0) throw new TypeError('the etcd store needs at least one endpoint');
  return {
    endpoints: options.endpoints,
    prefix: (options.prefix ?? '/registry').replace(/\/+$/, ''),
    tls: options.tls,
    auth: options.auth,
    metadata: options.metadata,
    readTimeoutMs: options.readTimeoutMs ?? 1_000,
    listTimeoutMs: options.listTimeoutMs ?? 5_000,
    writeTimeoutMs: options.writeTimeoutMs ?? 3_000,
    unavailableAfterMs: options.unavailableAfterMs ?? 800,
    openTimeoutMs: options.openTimeoutMs ?? 2_000,
    leases: { windowSeconds: 60, windowShare: 0.05, maxKeys: 1_000, ...options.leases },
  };
}

import { bundleText, unreadableBundle } from '#base/x509/ca-bundle.ts';
import type { Trust } from '#program/connection/kept-connections.ts';
import type { PoolLimits } from '#program/connection/open-pool.ts';
import type { KeyPair } from '#program/flags/key-pair.ts';
import type { APIServiceSpec } from '#schema/generated/apiregistration.v1.ts';
import { authorityOf, type Backend } from '../outbound/backend.ts';
import type { ClusterServices } from '../outbound/cluster-services.ts';
import { Pools } from '../outbound/pools.ts';
import type { KnownApiService } from './api-services.ts';
import { type Finding, problemOf } from './conditions.ts';

/**
 * The limits of connections. An idle connection is closed before a server would usually close it. Each watch has a
 * separate connection.
 */
const LIMITS: PoolLimits = { connections: 4_096, connectTimeoutMs: 10_000, idleMs: 15_000 };
/** The limits of probes. One connection is enough, because there is only one probe of a server at a time. */
const CHECK_LIMITS: PoolLimits = { ...LIMITS, connections: 1 };

/** The error that the authorities of an APIService are malformed, so that they cannot verify a certificate. */
export class UnreadableAuthorities extends Error {}

/** The connection settings from an APIService and this server's identity, and the open connections. */
interface Behind {
  readonly known: KnownApiService;
  readonly identity: KeyPair | undefined;
  readonly trust: Trust;
  /** The error about the authorities, in the words of the field. */
  readonly unreadable: string | undefined;
  readonly pools: Pools;
  /** Connections for availability checks, which do not verify the server's certificate. */
  readonly checks: Pools;
}

function unverified({ cert, key }: Trust): Trust {
  return { insecure: true, cert, key };
}

/** Finds the servers behind APIServices, and keeps connections with them. */
export class ExtensionServers {
  readonly #services: ClusterServices;
  readonly #identity: () => KeyPair | undefined;
  readonly #behind = new Map<string, Behind>();

  constructor(services: ClusterServices, identity: () => KeyPair | undefined) {
    this.#services = services;
    this.#identity = identity;
  }

  /**
   * The current address of the server of an APIService.
   *
   * @throws Error if it has no address, and {@link UnreadableAuthorities}
   */
  backend(known: KnownApiService): Backend {
    const { trust, unreadable, pools } = this.#of(known);
    if (unreadable !== undefined) throw new UnreadableAuthorities(unreadable);
    return this.#at(known, trust, pools);
  }

  /**
   * Like {@link backend}, for a check whether the server answers at all. The content of the answer is not used, so the
   * certificate is not verified.
   */
  unverified(known: KnownApiService): Backend {
    const { trust, checks } = this.#of(known);
    return this.#at(known, unverified(trust), checks);
  }

  #at(known: KnownApiService, trust: Trust, pools: Pools): Backend {
    const { namespace = '', name = '', port = 443 } = known.object.spec!.service!;
    const { host, port: at } = this.#services.addressOf({ namespace, name, port });
    const where = { secure: true, host, port: at, connectTimeoutMs: LIMITS.connectTimeoutMs, trust };
    return { ...where, pool: pools.at(`https://${authorityOf(where)}`, trust) };
  }

  /** The problem of an APIService's server according to stored objects; undefined if there is none. */
  problem({ object }: KnownApiService): Finding | undefined {
    return problemOf(object.spec!.service!, this.#services);
  }

  /** Removes the connections to servers that are no longer registered. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const [name, { pools, checks }] of this.#behind) {
      if (names.has(name)) continue;
      pools.close();
      checks.close();
      this.#behind.delete(name);
    }
  }

  /** Ends all connections. */
  async stop(): Promise<void> {
    await Promise.all([...this.#behind.values()].flatMap(({ pools, checks }) => [pools.destroy(), checks.destroy()]));
    this.#behind.clear();
  }

  #of(known: KnownApiService): Behind {
    const identity = this.#identity();
    const before = this.#behind.get(known.item.name);
    if (before !== undefined && before.known === known && before.identity === identity) return before;
    const trust = trustOf(known.object.spec!, identity);
    const { pools = new Pools(trust, LIMITS), checks = new Pools(unverified(trust), CHECK_LIMITS) }: Partial<Behind> =
      before ?? {};
    const unreadable = trust.ca === undefined ? undefined : unreadableBundle(String(trust.ca));
    const now = { known, identity, trust, unreadable, pools, checks };
    this.#behind.set(known.item.name, now);
    return now;
  }
}

function trustOf(
  { service, caBundle, insecureSkipTLSVerify = false }: APIServiceSpec,
  identity: KeyPair | undefined,
): Trust {
  return {
    serverName: `${service!.name}.${service!.namespace}.svc`,
    ca: bundleText(caBundle),
    insecure: insecureSkipTLSVerify,
    cert: identity?.cert,
    key: identity?.key,
  };
}

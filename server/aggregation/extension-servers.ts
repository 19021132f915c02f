import type { KeyPair } from '../flags/key-pair.ts';
import { authorityOf, type Backend } from '../outbound/backend.ts';
import type { ClusterServices } from '../outbound/cluster-services.ts';
import { type PoolLimits, Pools, type Trust } from '../outbound/pools.ts';
import type { APIServiceSpec } from '../schema/generated/apiregistration.v1.ts';
import type { KnownApiService } from './api-services.ts';
import { type Finding, problemOf } from './conditions.ts';

/** Connections wait shorter for their next request than servers commonly do; each watch has its own. */
const LIMITS: PoolLimits = { connections: 4_096, connectTimeoutMs: 10_000, idleMs: 15_000 };

/** Finds the servers behind APIServices, and keeps connections with them. */
export class ExtensionServers {
  readonly #services: ClusterServices;
  readonly #identity: () => KeyPair | undefined;
  readonly #pools = new Map<string, Pools>();

  constructor(services: ClusterServices, identity: () => KeyPair | undefined) {
    this.#services = services;
    this.#identity = identity;
  }

  /** Where the server of an APIService is reached now. Throws an Error when it has no address. */
  backend({ item, object }: KnownApiService): Backend {
    const spec = object.spec!;
    const { namespace = '', name = '', port = 443 } = spec.service!;
    const address = this.#services.addressOf({ namespace, name, port });
    const trust = this.#trust(spec);
    let pools = this.#pools.get(item.name);
    if (pools === undefined) this.#pools.set(item.name, (pools = new Pools(trust, LIMITS)));
    const where = { secure: true, ...address, connectTimeoutMs: LIMITS.connectTimeoutMs, trust };
    return { ...where, pool: pools.at(authorityOf(where), trust) };
  }

  /** What stored objects say against the server of an APIService; undefined where they say nothing. */
  problem({ object }: KnownApiService): Finding | undefined {
    return problemOf(object.spec!.service!, this.#services);
  }

  /** Forgets the connections with servers that are registered no more. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const [name, pools] of this.#pools) {
      if (names.has(name)) continue;
      pools.close();
      this.#pools.delete(name);
    }
  }

  /** Ends all connections. */
  async stop(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pools) => pools.destroy()));
    this.#pools.clear();
  }

  #trust({ service, caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec): Trust {
    const identity = this.#identity();
    return {
      serverName: `${service!.name}.${service!.namespace}.svc`,
      ca: caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString(),
      insecure: insecureSkipTLSVerify,
      cert: identity?.cert,
      key: identity?.key,
    };
  }
}

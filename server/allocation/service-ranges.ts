import type { Naming } from '#base/naming/naming.ts';
import { type IpAddress, type IpFamily, parseIp } from '#schema/validation/ip.ts';
import type { ServiceNetworks } from '../kinds/core/service/service-networks.ts';
import { AddressObjects } from './address-objects.ts';
import { AddressRange } from './address-range.ts';
import { Pool } from './pool.ts';

/** The default range of cluster IPs. */
const DEFAULT_RANGE = '10.0.0.0/24';

/** The ranges of addresses and ports of services, from the operator's flags. */
export interface ServiceRangeOptions {
  /**
   * Networks of cluster IPs: one network, or one of each family. The first is the default. An empty list means
   * 10.0.0.0/24.
   */
  readonly clusterIpRanges: readonly string[];
  /** First and last node port. */
  readonly nodePortRange: readonly [first: number, last: number];
  /** Whether the start of each network is reserved for services that ask for certain addresses. */
  readonly reserveStatic: boolean;
  /** Whether an IPAddress object shows each address that is held; false by default. */
  readonly showsAddresses?: boolean;
}

/** The addresses of one family, and their pool. */
export interface AddressPool {
  readonly range: AddressRange;
  readonly pool: Pool;
  /** Counts the addresses that this replica has allocated, both chosen and requested ones. */
  readonly given: { dynamic: number; static: number };
  /** The number of addresses that all replicas have allocated; undefined until it was counted. */
  held: number | undefined;
}

/** The ranges of one server. All its requests share them. */
export class ServiceRanges implements ServiceNetworks {
  readonly families: readonly IpFamily[];
  /** Whether an object shows each address that is held. */
  readonly showsAddresses: boolean;
  readonly nodePorts: { readonly first: number; readonly last: number; readonly pool: Pool };
  readonly #addresses: ReadonlyMap<IpFamily, AddressPool>;
  readonly #reserveStatic: boolean;
  /** Returns the networks of ServiceCIDR objects, as text. */
  #readNetworks: () => readonly string[] = () => [];
  #further: { readonly texts: string; readonly pools: readonly AddressPool[] } = { texts: '', pools: [] };

  constructor(options: ServiceRangeOptions) {
    const texts = options.clusterIpRanges.length === 0 ? [DEFAULT_RANGE] : options.clusterIpRanges;
    const ranges = texts.map((text) => AddressRange.parse(text));
    this.families = ranges.map((range) => range.family);
    this.#reserveStatic = options.reserveStatic;
    this.#addresses = new Map(ranges.map((range) => [range.family, this.#poolOf(range)]));
    this.showsAddresses = options.showsAddresses ?? false;
    const [first, last] = options.nodePortRange;
    this.nodePorts = { first, last, pool: portPool(first, last) };
  }

  /** The objects that show addresses; undefined if the release has none. */
  addressObjects(etcdPrefix: string, naming: Naming): AddressObjects | undefined {
    return this.showsAddresses ? new AddressObjects(etcdPrefix, naming) : undefined;
  }

  get defaultFamily(): IpFamily {
    return this.families[0] ?? 'IPv4';
  }

  has(family: string): family is IpFamily {
    return this.#addresses.has(family as IpFamily);
  }

  /**
   * Sets the function that reads additional networks, which come from objects of clients. It is called whenever they
   * are needed.
   */
  follow(readNetworks: () => readonly string[]): void {
    this.#readNetworks = readNetworks;
  }

  /** The addresses of all families: those of the flag, and those of ServiceCIDR objects. */
  get pools(): readonly AddressPool[] {
    return [...this.#addresses.values(), ...this.#furtherPools()];
  }

  /** The addresses of a family in the order of allocation. Those of the flag come first. */
  poolsOf(family: IpFamily): readonly AddressPool[] {
    return this.pools.filter(({ range }) => range.family === family);
  }

  /** Networks of objects except that of the flag, each once. A pool exists as long as its network. */
  #furtherPools(): readonly AddressPool[] {
    const networks = [...new Set(this.#readNetworks())];
    const texts = networks.join();
    if (texts === this.#further.texts) return this.#further.pools;
    const known = new Map(this.#further.pools.map((pool) => [pool.range.text, pool]));
    const own = new Set([...this.#addresses.values()].map(({ range }) => range.text));
    const ranges = networks.map((network) => AddressRange.parse(network)).filter(({ text }) => !own.has(text));
    this.#further = { texts, pools: ranges.map((range) => known.get(range.text) ?? this.#poolOf(range)) };
    return this.#further.pools;
  }

  #poolOf(range: AddressRange): AddressPool {
    const pool = addressPool(range, this.#reserveStatic);
    return { range, pool, given: { dynamic: 0, static: 0 }, held: undefined };
  }

  /** Counts all addresses that are held, without those of other networks. */
  countHeld(addresses: Iterable<string>): void {
    const held = new Map<AddressPool, number>();
    for (const text of addresses) {
      const address = parseIp(text);
      if (address === undefined) continue;
      for (const pool of this.pools)
        if (pool.range.indexOf(address) !== undefined) held.set(pool, (held.get(pool) ?? 0) + 1);
    }
    for (const pool of this.pools) pool.held = held.get(pool) ?? 0;
  }

  /** The addresses of the network that contains this address; undefined if no network of its family contains it. */
  poolWith(address: IpAddress, family: IpFamily): AddressPool | undefined {
    return this.poolsOf(family).find(({ range }) => range.indexOf(address) !== undefined);
  }

  /** The addresses of a configured family. */
  addresses(family: IpFamily): AddressPool {
    const pool = this.#addresses.get(family);
    if (pool === undefined) throw new TypeError(`no cluster IPs of family ${family}`);
    return pool;
  }

  /** The error about a requested node port; undefined if the port can be allocated. */
  nodePortProblem(port: number): string | undefined {
    const { first, last } = this.nodePorts;
    if (port >= first && port <= last) return undefined;
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  }

  /** The error about a requested cluster IP; undefined if the address can be allocated. */
  clusterIpProblem(text: string, family: IpFamily): string | undefined {
    const { range } = this.addresses(family);
    const address = parseIp(text);
    if (address !== undefined && this.poolWith(address, family) !== undefined) return undefined;
    if (this.showsAddresses) return 'the provided network does not match the current range';
    return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${range.text}`;
  }
}

function addressPool(range: AddressRange, reserveStatic: boolean): Pool {
  return new Pool({
    size: range.size,
    reserved: reserveStatic ? range.reserved : 0,
    keyAt: (index) => range.at(index),
    indexOfKey(key) {
      const address = parseIp(key);
      return address === undefined ? undefined : range.indexOf(address);
    },
  });
}

function portPool(first: number, last: number): Pool {
  return new Pool({
    size: Math.max(0, last - first + 1),
    reserved: 0,
    keyAt: (index) => String(first + index),
    indexOfKey(key) {
      const port = Number(key);
      return port >= first && port <= last ? port - first : undefined;
    },
  });
}

import type { Naming } from '#base/naming/naming.ts';
import type { EndpointSubset } from '#schema/generated/core.v1.ts';
import type { Endpoint, EndpointPort } from '#schema/generated/discovery.v1.ts';
import { familyOfText, type IpFamily } from '#schema/validation/ip.ts';

/** The address and port of one replica. */
export interface Replica {
  readonly address: string;
  readonly port: number;
}

/** The part of its own endpoints that the system writes. It does not change other metadata. */
export interface WrittenEndpoints {
  readonly labels: Record<string, string>;
  readonly subsets?: EndpointSubset[];
}

/** The part of a slice of the endpoints that the system writes. */
export interface WrittenSlice {
  readonly labels: Record<string, string>;
  readonly addressType: IpFamily;
  readonly endpoints: Endpoint[] | null;
  readonly ports: EndpointPort[] | null;
}

const PORT_NAME = 'https';

function byPort(replicas: readonly Replica[]): [port: number, addresses: string[]][] {
  const groups = new Map<number, Set<string>>();
  for (const { address, port } of replicas) groups.set(port, (groups.get(port) ?? new Set()).add(address));
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([port, addresses]): [number, string[]] => [port, [...addresses].sort()]);
}

/**
 * The endpoints of the service, with one address for each replica. They are not mirrored, because the system writes the
 * slices too.
 */
export function apiEndpoints(replicas: readonly Replica[], naming: Naming): WrittenEndpoints {
  const subsets = byPort(replicas).map(([port, addresses]) => ({
    addresses: addresses.map((ip) => ({ ip })),
    ports: [{ name: PORT_NAME, port, protocol: 'TCP' }],
  }));
  return { labels: { [naming.key('endpointslice/skip-mirror')]: 'true' }, ...(subsets.length > 0 ? { subsets } : {}) };
}

/**
 * Matches the names of additional slices that {@link apiSlices} creates besides the one with the name of the service.
 */
export function sliceNames(service: string): RegExp {
  return new RegExp(`^${service}-ipv[46]-[0-9]+$`);
}

/**
 * The slices of the service by name. All endpoints of a slice have one family and one port. The replicas of most
 * installations fit into the first slice, which has the name of the service and always exists.
 */
export function apiSlices(replicas: readonly Replica[], naming: Naming): Map<string, WrittenSlice> {
  const labels = { [naming.key('service-name')]: naming.product };
  const slices = new Map<string, WrittenSlice>();
  for (const [port, all] of byPort(replicas)) {
    for (const family of ['IPv4', 'IPv6'] satisfies IpFamily[]) {
      const addresses = all.filter((address) => (familyOfText(address) ?? 'IPv4') === family);
      if (addresses.length === 0) continue;
      const name = slices.size === 0 ? naming.product : `${naming.product}-${family.toLowerCase()}-${port}`;
      slices.set(name, {
        labels,
        addressType: family,
        endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
        ports: [{ name: PORT_NAME, port, protocol: 'TCP' }],
      });
    }
  }
  if (slices.size === 0) {
    slices.set(naming.product, { labels, addressType: 'IPv4', endpoints: null, ports: null });
  }
  return slices;
}

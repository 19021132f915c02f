import { isIPv6 } from 'node:net';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { EndpointAddress, Endpoints } from '#schema/generated/core.v1.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '#schema/generated/discovery.v1.ts';
import { identityOf, portsKey } from './pack-slices.ts';
import { inOrder } from './port-order.ts';
import type { IpFamily } from './service-pods.ts';

/** A slice with the addresses of a subset of endpoints in one family. */
export interface Mirrored {
  readonly addressType: IpFamily;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The slices that show the endpoints that a user wrote. */
export interface Mirror {
  readonly slices: readonly Mirrored[];
  /** The number of addresses beyond the limit of a subset. */
  readonly skipped: number;
}

/**
 * The addresses of endpoints by family and ports, ready ones first, at most `most` of each subset. A repeated address
 * appears once, with its last values.
 */
export function mirrorOf({ subsets }: Endpoints, most: number): Mirror {
  const slices = new Map<string, Mirrored & { readonly endpoints: Endpoint[] }>();
  const seen = new Map<string, { readonly endpoints: Endpoint[]; readonly at: number }>();
  let skipped = 0;
  for (const { addresses, notReadyAddresses, ports } of subsets ?? []) {
    const all = [
      ...(addresses ?? []).map((address) => endpointOf(address, true)),
      ...(notReadyAddresses ?? []).map((address) => endpointOf(address, false)),
    ];
    skipped += Math.max(0, all.length - most);
    for (const endpoint of all.slice(0, most)) {
      const addressType = isIPv6(endpoint.addresses?.[0] ?? '') ? 'IPv6' : 'IPv4';
      const key = `${addressType} ${portsKey(ports ?? [])}`;
      const slice = slices.get(key) ?? {
        addressType,
        ports: inOrder(
          (ports ?? []).map(({ name = '', protocol = 'TCP', ...port }) => ({ name, protocol, ...port })),
          'slices',
        ),
        endpoints: [],
      };
      slices.set(key, slice);
      const identity = `${key} ${identityOf(endpoint)}`;
      const before = seen.get(identity);
      if (before !== undefined) before.endpoints[before.at] = endpoint;
      else if (slice.endpoints.length < most) {
        seen.set(identity, { endpoints: slice.endpoints, at: slice.endpoints.length });
        slice.endpoints.push(endpoint);
      }
    }
  }
  return { slices: [...slices.values()], skipped };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef ? { targetRef } : {}),
  };
}

/** The changes to the slices of one object of endpoints. */
export interface MirrorChanges {
  readonly create: readonly Mirrored[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly content: Mirrored }[];
  readonly remove: readonly EndpointSlice[];
}

/**
 * The changes that turn the existing slices into this mirror, with one slice for each family and ports. A slice that is
 * no longer needed is reused for other content.
 * @param isRight whether all parts of a slice except its endpoints are right
 */
export function changesTo(
  wanted: readonly Mirrored[],
  existing: readonly EndpointSlice[],
  isRight: (slice: EndpointSlice) => boolean,
): MirrorChanges {
  const remove = [...existing];
  const take = (is: (slice: EndpointSlice) => boolean): EndpointSlice | undefined => {
    const at = remove.findIndex(is);
    return at < 0 ? undefined : remove.splice(at, 1)[0];
  };
  const paired = wanted.map((content) => ({
    content,
    slice: take(
      ({ addressType, ports }) => addressType === content.addressType && portsKey(ports) === portsKey(content.ports),
    ),
  }));
  const create: Mirrored[] = [];
  const update: { slice: EndpointSlice; content: Mirrored }[] = [];
  for (const { content, slice } of paired) {
    if (slice !== undefined) {
      if (!isRight(slice) || !haveSame(slice.endpoints ?? [], content.endpoints)) update.push({ slice, content });
      continue;
    }
    const spare = take(({ addressType }) => addressType === content.addressType);
    if (spare === undefined) create.push(content);
    else update.push({ slice: spare, content });
  }
  return { create, update, remove };
}

/** Whether two lists have the same endpoints, in any order. */
function haveSame(before: readonly Endpoint[], after: readonly Endpoint[]): boolean {
  if (before.length !== after.length) return false;
  const byIdentity = new Map(before.map((endpoint) => [identityOf(endpoint), endpoint]));
  return after.every((endpoint) => jsonEqual(byIdentity.get(identityOf(endpoint)), endpoint));
}

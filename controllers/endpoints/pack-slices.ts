import { jsonEqual } from '#base/json/json-equal.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '#schema/generated/discovery.v1.ts';
import type { EndpointGroup } from './service-slices.ts';

/** The writes that bring the slices of one service and address family up to date. */
export interface SliceChanges {
  readonly create: readonly SliceContent[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly content: SliceContent }[];
  readonly remove: readonly EndpointSlice[];
}

export interface SliceContent {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

interface Draft {
  readonly slice: EndpointSlice | undefined;
  readonly ports: readonly EndpointPort[];
  endpoints: Endpoint[];
  changed: boolean;
}

/**
 * Plans few and small writes that bring the slices to these groups, because every node reads each write. Endpoints stay
 * in their slice. New endpoints first go to slices that change anyway. The others go to the fullest slice that has room
 * for all of them, or to a new slice. Small slices are not merged. There is always one slice, even if it is empty.
 * @param isRight whether everything in a slice except its ports and endpoints is right
 */
export function packSlices(
  existing: readonly EndpointSlice[],
  groups: readonly EndpointGroup[],
  most: number,
  isRight: (slice: EndpointSlice) => boolean,
): SliceChanges {
  const drafts: Draft[] = [];
  const unused: EndpointSlice[] = [];
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of existing) {
    const key = portsKey(slice.ports);
    byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  for (const group of groups) {
    const key = portsKey(group.ports);
    const packed = packGroup(byPorts.get(key) ?? [], group, most, isRight);
    byPorts.delete(key);
    drafts.push(...packed.drafts);
    unused.push(...packed.unused);
  }
  for (const slices of byPorts.values()) unused.push(...slices);
  if (drafts.length === 0) drafts.push({ slice: undefined, ports: [], endpoints: [], changed: true });
  // A slice that is no longer needed gets new endpoints.
  const settled = drafts.map((draft) => {
    if (draft.slice !== undefined || unused.length === 0) return draft;
    const at = unused.findIndex((slice) => isSame(slice, draft));
    const [slice] = unused.splice(Math.max(0, at), 1);
    return { ...draft, slice, changed: at < 0 || !isRight(slice!) };
  });
  return {
    create: settled.filter(({ slice }) => slice === undefined),
    update: settled.flatMap(({ slice, changed, ...content }) =>
      slice !== undefined && changed ? [{ slice, content }] : [],
    ),
    remove: unused,
  };
}

function packGroup(
  existing: readonly EndpointSlice[],
  { ports, endpoints }: EndpointGroup,
  most: number,
  isRight: (slice: EndpointSlice) => boolean,
): { readonly drafts: Draft[]; readonly unused: EndpointSlice[] } {
  const wanted = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const drafts: Draft[] = [];
  const unused: EndpointSlice[] = [];
  for (const slice of existing) {
    const before = slice.endpoints ?? [];
    const kept: Endpoint[] = [];
    let changed = !isRight(slice);
    for (const endpoint of before) {
      const identity = identityOf(endpoint);
      const found = wanted.get(identity);
      if (found === undefined || kept.length >= most) continue;
      wanted.delete(identity);
      kept.push(found);
      changed ||= !jsonEqual(found, endpoint);
    }
    changed ||= kept.length !== before.length;
    if (kept.length === 0) unused.push(slice);
    else drafts.push({ slice, ports, endpoints: kept, changed });
  }
  const rest = [...wanted.values()];
  const fullestFirst = (a: Draft, b: Draft) => b.endpoints.length - a.endpoints.length;
  for (const draft of drafts.filter(({ changed }) => changed).sort(fullestFirst))
    draft.endpoints.push(...rest.splice(0, most - draft.endpoints.length));
  while (rest.length > 0) {
    const roomy = drafts
      .filter((draft) => draft.slice !== undefined && draft.endpoints.length + rest.length <= most)
      .sort(fullestFirst)[0];
    const draft = roomy ?? { slice: undefined, ports, endpoints: [], changed: true };
    if (roomy === undefined) drafts.push(draft);
    draft.changed = true;
    draft.endpoints.push(...rest.splice(0, most - draft.endpoints.length));
  }
  return { drafts, unused };
}

/**
 * The identity of an endpoint. It stays the same if the state changes or if another pod gets the address.
 */
export function identityOf({ addresses, hostname = '' }: Endpoint): string {
  return JSON.stringify([addresses, hostname]);
}

/** The identity of a set of ports, independent of their order. */
export function portsKey(ports: readonly EndpointPort[] | null): string {
  return JSON.stringify(
    (ports ?? [])
      .map(({ name = '', port, protocol = 'TCP', appProtocol }) => [name, port, protocol, appProtocol ?? ''])
      .sort((a, b) => (String(a) < String(b) ? -1 : 1)),
  );
}

function isSame(slice: EndpointSlice, { ports, endpoints }: Draft): boolean {
  return portsKey(slice.ports) === portsKey(ports) && jsonEqual(slice.endpoints ?? [], endpoints);
}

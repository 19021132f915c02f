import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '#schema/generated/core.v1.ts';
import { inOrder } from './port-order.ts';
import { addressesOf, hostnameOf, isReady, portsOf } from './service-pods.ts';

/** Addresses that serve on the same ports. Each has a unique key. */
type Addresses = Map<string, { readonly address: EndpointAddress; readonly ready: boolean }>;

/**
 * The subsets of a service's endpoints. A subset holds the ports that the same pods serve, each in the same state, and
 * the addresses of these pods in order. As in slices, pods without a node are left out, unless the service publishes
 * pods that are not ready.
 */
export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly addresses: Addresses }>();
  const anyState = service.spec?.publishNotReadyAddresses === true;
  for (const pod of pods) {
    if (!pod.spec?.nodeName && !anyState) continue;
    const address = addressOf(service, pod);
    if (address === undefined) continue;
    const ready = anyState || isReady(pod);
    const ports = portsOf(service, pod).map(({ name, ...port }) => ({ ...(name ? { name } : {}), ...port }));
    if (ports.length === 0 && !mayLackPorts(service)) continue;
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = JSON.stringify(port ?? null);
      const found = byPort.get(key) ?? { port, addresses: new Map() };
      byPort.set(key, found);
      found.addresses.set(`${address.ip} ${pod.metadata.uid}`, { address, ready });
    }
  }
  const subsets = new Map<string, { readonly ports: EndpointPort[]; readonly addresses: Addresses }>();
  for (const { port, addresses } of byPort.values()) {
    const key = [...addresses].map(([id, { ready }]) => `${id} ${ready}`).join();
    const subset = subsets.get(key) ?? { ports: [], addresses };
    subsets.set(key, subset);
    if (port !== undefined) subset.ports.push(port);
  }
  return [...subsets.values()].map(subsetWith).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Whether pods without a port belong to the endpoints. They do in a headless service without ports. */
function mayLackPorts({ spec }: Service): boolean {
  return spec?.clusterIP === 'None' && (spec.ports ?? []).length === 0;
}

function subsetWith({ ports, addresses }: { readonly ports: EndpointPort[]; readonly addresses: Addresses }) {
  const sorted = [...addresses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
  const all = (wanted: boolean) => sorted.filter(({ ready }) => ready === wanted).map(({ address }) => address);
  const [ready, others] = [all(true), all(false)];
  return {
    ...(ready.length === 0 ? {} : { addresses: ready }),
    ...(others.length === 0 ? {} : { notReadyAddresses: others }),
    ...(ports.length === 0 ? {} : { ports: inOrder(ports, 'endpoints') }),
  };
}

function keyOf({ ports }: EndpointSubset): string {
  return JSON.stringify(ports ?? []);
}

function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = addressesOf(pod, service.spec?.ipFamilies?.[0]);
  if (ip === undefined) return undefined;
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace: namespace!, name: name!, uid: uid! },
  };
}

/** The subsets with at most `most` addresses together. Ready addresses are kept before others. */
export function truncate(subsets: EndpointSubset[], most: number): EndpointSubset[] {
  const count = (kind: 'addresses' | 'notReadyAddresses') =>
    subsets.reduce((sum, subset) => sum + (subset[kind]?.length ?? 0), 0);
  if (count('addresses') + count('notReadyAddresses') <= most) return subsets;
  let left = most;
  const take = (addresses: EndpointAddress[] | undefined) => {
    const taken = (addresses ?? []).slice(0, left);
    left -= taken.length;
    return taken;
  };
  const ready = subsets.map(({ addresses }) => take(addresses));
  return subsets.flatMap(({ notReadyAddresses, ports }, i) => {
    const addresses = ready[i]!;
    const others = take(notReadyAddresses);
    if (addresses.length + others.length === 0) return [];
    return [
      {
        ...(addresses.length === 0 ? {} : { addresses }),
        ...(others.length === 0 ? {} : { notReadyAddresses: others }),
        ...(ports === undefined ? {} : { ports }),
      },
    ];
  });
}

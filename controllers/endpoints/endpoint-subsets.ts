import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Pod,
  Service,
} from '../../server/schema/generated/core.v1.ts';
import { addressesOf, hostnameOf, isReady, portsOf } from './service-pods.ts';

/** The subsets of a service's endpoints: its pods by the ports under which they serve, ready ones and others, in the order
 * of their addresses. */
export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const { spec } = service;
  const groups = new Map<string, { ports: EndpointPort[]; ready: EndpointAddress[]; others: EndpointAddress[] }>();
  for (const pod of pods) {
    const [ip] = addressesOf(pod, spec?.ipFamilies?.[0]);
    if (ip === undefined) continue;
    const ports = portsOf(service, pod).map(({ name, ...port }) => ({ ...(name ? { name } : {}), ...port }));
    if (ports.length === 0 && (spec?.ports ?? []).length > 0) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, ready: [], others: [] };
    groups.set(key, group);
    const { name, namespace, uid } = pod.metadata;
    const hostname = hostnameOf(pod, service);
    const address: EndpointAddress = {
      ip,
      ...(hostname === undefined ? {} : { hostname }),
      ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
      targetRef: { kind: 'Pod', namespace: namespace!, name: name!, uid: uid! },
    };
    (spec?.publishNotReadyAddresses === true || isReady(pod) ? group.ready : group.others).push(address);
  }
  const byIp = (a: EndpointAddress, b: EndpointAddress) => (a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0);
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, ready, others }]) => ({
      ...(ready.length === 0 ? {} : { addresses: ready.sort(byIp) }),
      ...(others.length === 0 ? {} : { notReadyAddresses: others.sort(byIp) }),
      ...(ports.length === 0 ? {} : { ports }),
    }));
}

/** The first so many addresses of all subsets, ready ones before others. */
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

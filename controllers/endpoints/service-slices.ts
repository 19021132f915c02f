import { isIPv6 } from 'node:net';
import type { Node, Pod, Service } from '#schema/generated/core.v1.ts';
import type { Endpoint, EndpointPort } from '#schema/generated/discovery.v1.ts';
import { inOrder } from './port-order.ts';
import { addressesOf, hostnameOf, type IpFamily, isReady, portsOf } from './service-pods.ts';

/** Endpoints that serve on the same ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

interface Group extends EndpointGroup {
  readonly endpoints: Endpoint[];
}

/** The address families of a service. */
export function familiesOf({ spec }: Service): IpFamily[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === 'IPv4' || family === 'IPv6');
  if (families.length > 0) return families;
  if (spec?.clusterIP && spec.clusterIP !== 'None') return [isIPv6(spec.clusterIP) ? 'IPv6' : 'IPv4'];
  return ['IPv4', 'IPv6'];
}

/**
 * The endpoints of a service in one family, by the ports of its pods. A pod whose node does not exist will be deleted
 * soon. It counts only if the service wants pods in any state.
 * @param zoneLabel the label of nodes that contains the zone
 */
export function groupsOf(
  service: Service,
  family: IpFamily,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
  zoneLabel: string,
): EndpointGroup[] {
  const anyState = service.spec?.publishNotReadyAddresses === true;
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const addresses = addressesOf(pod, family);
    if (addresses.length === 0) continue;
    const { nodeName } = pod.spec ?? {};
    const node = nodeName ? nodeOf(nodeName) : undefined;
    if (node === undefined && !anyState) continue;
    const ports = inOrder(portsOf(service, pod), 'slices');
    const key = JSON.stringify(ports);
    const group: Group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const serving = isReady(pod);
    const terminating = Boolean(pod.metadata.deletionTimestamp);
    const { name, namespace, uid } = pod.metadata;
    const hostname = hostnameOf(pod, service);
    const zone = node?.metadata.labels?.[zoneLabel];
    group.endpoints.push({
      addresses,
      conditions: { ready: anyState || (serving && !terminating), serving, terminating },
      ...(hostname === undefined ? {} : { hostname }),
      targetRef: { kind: 'Pod', namespace: namespace!, name: name!, uid: uid! },
      ...(nodeName ? { nodeName } : {}),
      ...(zone ? { zone } : {}),
    });
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Pod,
  Service,
} from '../../server/schema/generated/core.v1.ts';

/** The subsets of a service's endpoints: its pods by the ports under which they serve, ready ones and others, in the order
 * of their addresses. */
export function subsetsOf({ metadata, spec }: Service, pods: readonly Pod[]): EndpointSubset[] {
  const anyState = spec?.publishNotReadyAddresses === true;
  const groups = new Map<string, { ports: EndpointPort[]; ready: EndpointAddress[]; others: EndpointAddress[] }>();
  for (const pod of pods) {
    const ip = addressOf(pod, spec?.ipFamilies?.[0]);
    const phase = pod.status?.phase;
    if (ip === undefined || phase === 'Succeeded' || phase === 'Failed') continue;
    if (pod.metadata.deletionTimestamp && !anyState) continue;
    const ports = portsOf(spec?.ports ?? [], pod);
    if (ports.length === 0 && (spec?.ports ?? []).length > 0) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, ready: [], others: [] };
    groups.set(key, group);
    const { name, namespace, uid } = pod.metadata;
    const named = pod.spec?.hostname && pod.spec.subdomain === metadata.name;
    const address: EndpointAddress = {
      ip,
      ...(named ? { hostname: pod.spec!.hostname! } : {}),
      ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
      targetRef: { kind: 'Pod', namespace: namespace!, name: name!, uid: uid! },
    };
    (anyState || isReady(pod) ? group.ready : group.others).push(address);
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

/** The address of a pod in the family of the service. */
function addressOf({ status }: Pod, family: string | undefined): string | undefined {
  const all = status?.podIPs?.map(({ ip }) => ip ?? '') ?? [status?.podIP ?? ''];
  return all.find((ip) => ip !== '' && (family === undefined || ip.includes(':') === (family === 'IPv6')));
}

/** The ports of a service as a pod has them; without those that name a port which it lacks. */
function portsOf(ports: NonNullable<NonNullable<Service['spec']>['ports']>, pod: Pod): EndpointPort[] {
  return ports.flatMap(({ name, port, targetPort, protocol = 'TCP', appProtocol }) => {
    const target = targetPort ?? port;
    const number = typeof target === 'number' ? target || port : namedPort(pod, target, protocol);
    if (number === undefined) return [];
    return [{ ...(name ? { name } : {}), port: number, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  });
}

function namedPort({ spec }: Pod, name: string, protocol: string): number | undefined {
  const ports = spec?.containers?.flatMap(({ ports: own }) => own ?? []) ?? [];
  return ports.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

import { byNamespace, type Informer, keyOf } from '#client/informer/informer.ts';
import { hasLabels } from '#client/label-selector.ts';
import type { Pod, Service } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/** The fields of pods that contain their addresses and their readiness. */
export const POD_FIELDS = [
  'spec.nodeName',
  'spec.hostname',
  'spec.subdomain',
  'spec.containers.ports',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.lastTransitionTime',
];

export type IpFamily = 'IPv4' | 'IPv6';

/** A port of a service in one of its pods. */
export interface PortOfPod {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** Whether a service selects its pods. Users write the endpoints of all other services. */
export function selectsPods({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0;
}

/** Whether a service has no address of its own. Clients then find its pods by name. */
export function isHeadless({ spec }: Service): boolean {
  return !spec?.clusterIP || spec.clusterIP === 'None';
}

/** The pods that a service selects, in any state. */
export function selectedBy({ metadata, spec }: Service, pods: Informer<Pod>): Pod[] {
  return pods.find(byNamespace, metadata.namespace!).filter((pod) => hasLabels(spec?.selector, pod.metadata.labels));
}

/** The pods that have not finished. Pods that are being deleted are included only if `withTerminating` is set. */
export function thatGoOn(pods: readonly Pod[], withTerminating: boolean): Pod[] {
  return pods.filter(
    (pod) =>
      pod.status?.phase !== 'Succeeded' &&
      pod.status?.phase !== 'Failed' &&
      (withTerminating || !pod.metadata.deletionTimestamp),
  );
}

/** The addresses of a pod in a family; all addresses if no family is given. */
export function addressesOf({ status }: Pod, family: string | undefined): string[] {
  const all = status?.podIPs?.map(({ ip }) => ip ?? '') ?? [status?.podIP ?? ''];
  return all.filter((ip) => ip !== '' && (family === undefined || ip.includes(':') === (family === 'IPv6')));
}

/** The ports of a service on a pod, except ports with a name that the pod lacks. */
export function portsOf({ spec }: Service, pod: Pod): PortOfPod[] {
  return (spec?.ports ?? []).flatMap(({ name = '', port, targetPort, protocol = 'TCP', appProtocol }) => {
    const target = targetPort ?? port;
    const number = typeof target === 'number' ? target || port : namedPort(pod, target, protocol);
    if (number === undefined) return [];
    return [{ name, port: number, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  });
}

function namedPort({ spec }: Pod, name: string, protocol: string): number | undefined {
  const ports = spec?.containers?.flatMap(({ ports: own }) => own ?? []) ?? [];
  return ports.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** The name of a pod within the service; undefined if it has none. */
export function hostnameOf({ spec }: Pod, { metadata }: Service): string | undefined {
  return spec?.hostname && spec.subdomain === metadata.name ? spec.hostname : undefined;
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

/** Calls the function with the keys of services that need a check because they or their pods changed. */
export function onServices(
  services: Informer<Service>,
  pods: Informer<Pod>,
  changed: (key: string) => void,
  signal: AbortSignal,
): void {
  const ofService = (service: ApiObject) => changed(keyOf(service));
  services.on({ added: ofService, updated: ofService, deleted: ofService }, signal);
  const ofPod = (...states: readonly Pod[]) => {
    for (const service of services.find(byNamespace, states[0]!.metadata.namespace!))
      if (selectsPods(service) && states.some(({ metadata }) => hasLabels(service.spec?.selector, metadata.labels)))
        changed(keyOf(service));
  };
  pods.on({ added: ofPod, updated: ofPod, deleted: ofPod }, signal);
}

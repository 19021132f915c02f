import type { FieldError } from '#base/errors/field-error.ts';
import { invalid, type StatusError } from '#base/errors/status-error.ts';
import type { Service, ServiceSpec } from '#schema/generated/core.v1.ts';

/** The 422 of a service. */
export function invalidService(service: Service, errors: readonly FieldError[]): StatusError {
  return invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors);
}

export const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const;
/** The cluster IP of a service that has none on purpose. */
export const HEADLESS = 'None';

/** Load balancers that only send traffic to nodes with endpoints ask a port of each node. */
export function needsHealthCheckPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

export function isHeadless({ clusterIPs }: ServiceSpec): boolean {
  return clusterIPs?.length === 1 && clusterIPs[0] === HEADLESS;
}

/** Whether ports without a node port get one. */
export function givesNodePorts(spec: ServiceSpec): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

export function sameTexts(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  const [one, other] = [a ?? [], b ?? []];
  return one.length === other.length && one.every((text, i) => text === other[i]);
}

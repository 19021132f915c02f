import type { FieldError } from '#base/errors/field-error.ts';
import { invalid, type StatusError } from '#base/errors/status-error.ts';
import type { Release } from '#base/release/release.ts';
import { isExternal } from '#schema/conversion/core/service-parts.ts';
import type { Service, ServiceSpec } from '#schema/generated/core.v1.ts';

/** The error 422 about a service. */
export function invalidService(service: Service, errors: readonly FieldError[]): StatusError {
  return invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors);
}

export const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const;
/** The cluster IP of a service that is configured to have none. */
export const HEADLESS = 'None';

/** Whether load balancers send traffic only to nodes with endpoints. They then check each node at a port. */
export function needsHealthCheckPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

/**
 * Whether a service has a policy for traffic from outside of the cluster. Since 1.29 this includes a service that only
 * has external addresses.
 */
export function isExposed(spec: ServiceSpec, release: Release): boolean {
  if (isExternal(spec)) return true;
  return release.atLeast(29) && spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0;
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

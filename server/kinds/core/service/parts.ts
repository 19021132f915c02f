import type { FieldError } from '#base/errors/field-error.ts';
import { invalid, type StatusError } from '#base/errors/status-error.ts';
import type { Release } from '#base/release/release.ts';
import { isExternal } from '#schema/conversion/core/service-parts.ts';
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

/**
 * Whether a service has a policy for traffic from outside of the cluster: since 1.29 also one that is reached by
 * addresses from outside.
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

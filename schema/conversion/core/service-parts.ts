import type { Service, ServiceSpec } from '../../generated/core.v1.ts';

/** The spec of a service. A missing spec is first set to an empty one. */
export function specOf(service: Service): ServiceSpec {
  service.spec ??= {};
  return service.spec;
}

/** Cluster IPs are for all types but names of outside services; "None" counts as one. */
export function needsClusterIp({ type }: ServiceSpec): boolean {
  return type === 'ClusterIP' || isExternal({ type: type ?? '' });
}

/** Reachable from outside of the cluster: has node ports and a policy for traffic from there. */
export function isExternal({ type }: Pick<ServiceSpec, 'type'>): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

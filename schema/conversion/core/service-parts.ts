import type { Service, ServiceSpec } from '../../generated/core.v1.ts';

/** The spec of a service. A missing spec is first set to an empty one. */
export function specOf(service: Service): ServiceSpec {
  service.spec ??= {};
  return service.spec;
}

/**
 * Whether a service has cluster IPs. All types have them, except names of outside services. "None" counts as a cluster
 * IP.
 */
export function needsClusterIp({ type }: ServiceSpec): boolean {
  return type === 'ClusterIP' || isExternal({ type: type ?? '' });
}

/**
 * Whether a service can be reached from outside of the cluster. Such a service has node ports and a policy for outside
 * traffic.
 */
export function isExternal({ type }: Pick<ServiceSpec, 'type'>): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

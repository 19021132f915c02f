import type { Service } from '../../generated/core.v1.ts';
import { isExternal, needsClusterIp, specOf } from './service-parts.ts';

/** How long a client stays with one address, in seconds: three hours. */
const AFFINITY_SECONDS = 10_800;

/**
 * Fills in the defaults that depend only on the object. Addresses and their families also depend on the server's
 * ranges.
 */
export function defaultService(service: Service): void {
  const spec = specOf(service);
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
  }
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '')
      port.targetPort = port.port ?? 0;
  }
  if (isExternal(spec)) spec.externalTrafficPolicy ||= 'Cluster';
  if (needsClusterIp(spec)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

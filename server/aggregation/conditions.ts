import type { APIServiceCondition, ServiceReference } from '#schema/generated/apiregistration.v1.ts';
import type { ClusterServices } from '../outbound/cluster-services.ts';

/** The content of a condition, without its time. */
export type Finding = Pick<APIServiceCondition, 'status' | 'reason' | 'message'>;

/** The condition of a local APIService. */
export function localCondition(now: string): APIServiceCondition {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: now,
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

/** The finding that an extension server answered correctly. */
export const PASSED: Finding = { status: 'True', reason: 'Passed', message: 'all checks passed' };

function unavailable(reason: string, message: string): Finding {
  return { status: 'False', reason, message };
}

/** The finding that an extension server does not answer, or not correctly. */
export function failedCheck(message: string): Finding {
  return unavailable('FailedDiscoveryCheck', message);
}

/**
 * The reason why an APIService cannot be served, from stored objects alone; undefined if they show no problem. All
 * replicas have the same result.
 */
export function problemOf(
  { namespace = '', name = '', port = 443 }: ServiceReference,
  services: Pick<ClusterServices, 'service' | 'readyEndpoints'>,
): Finding | undefined {
  const which = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = services.service(namespace, name);
  if (service === undefined) return unavailable('ServiceNotFound', `${which} is not present`);
  const { type = 'ClusterIP', ports } = service.spec ?? {};
  // Services of other types may have backends that are not among their endpoints.
  if (type !== 'ClusterIP') return undefined;
  const servicePort = ports?.find((candidate) => candidate.port === port);
  if (servicePort === undefined) {
    return unavailable('ServicePortError', `${which} is not listening on port ${port}`);
  }
  const portName = servicePort.name ?? '';
  const ready = services.readyEndpoints(namespace, name, portName);
  if (ready === undefined) return unavailable('EndpointsNotFound', `cannot find endpoints for ${which}`);
  if (ready.length > 0) return undefined;
  const message = `endpoints for ${which} have no addresses with port name ${JSON.stringify(portName)}`;
  return unavailable('MissingEndpoints', message);
}

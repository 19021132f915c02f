import type { Release } from '#base/release/release.ts';
import { isExternal, needsClusterIp } from '#schema/conversion/core/service-parts.ts';
import type { ServicePort, ServiceSpec } from '#schema/generated/core.v1.ts';
import { isExposed, needsHealthCheckPort, sameTexts } from './parts.ts';

/**
 * Copies values that the server gave to the old object into fields that the client left out, so that a repeated request
 * has the same effect. Node ports follow the names of their ports.
 */
export function carryOver(object: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(object)) {
    if (!object.clusterIP && old.clusterIP) object.clusterIP = old.clusterIP;
    if ((object.clusterIPs ?? []).length === 0 && old.clusterIPs !== undefined) object.clusterIPs = [...old.clusterIPs];
  }
  if (isExternal(old) && isExternal(object)) carryNodePorts(object.ports ?? [], old.ports ?? []);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(object) && old.healthCheckNodePort !== undefined) {
    object.healthCheckNodePort ||= old.healthCheckNodePort;
  }
}

function carryNodePorts(ports: readonly ServicePort[], old: readonly ServicePort[]): void {
  const asked = new Set(ports.map((port) => port.nodePort ?? 0));
  const byName = new Map(old.map((port) => [port.name ?? '', port.nodePort ?? 0]));
  for (const port of ports) {
    const before = byName.get(port.name ?? '') ?? 0;
    if (!port.nodePort && before !== 0 && !asked.has(before)) port.nodePort = before;
  }
}

/**
 * Drops fields that do not belong to the service's new type, if the client did not change them. A field that the client
 * set itself is refused instead.
 */
export function dropInapplicable(object: ServiceSpec, old: ServiceSpec, release: Release): void {
  if (needsClusterIp(old) && !needsClusterIp(object)) {
    if (object.clusterIP === old.clusterIP && sameTexts(object.clusterIPs, old.clusterIPs)) {
      delete object.clusterIP;
      delete object.clusterIPs;
    }
    if (sameTexts(object.ipFamilies, old.ipFamilies)) delete object.ipFamilies;
    if (object.ipFamilyPolicy === old.ipFamilyPolicy) delete object.ipFamilyPolicy;
  }
  if (isExternal(old) && !isExternal(object)) {
    if (sameNodePorts(object.ports ?? [], old.ports ?? [])) {
      for (const port of object.ports ?? []) delete port.nodePort;
    }
  }
  if (isExposed(old, release) && !isExposed(object, release)) {
    if (object.externalTrafficPolicy === old.externalTrafficPolicy) delete object.externalTrafficPolicy;
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(object)) {
    if (object.healthCheckNodePort === old.healthCheckNodePort) delete object.healthCheckNodePort;
  }
  if (old.type === 'LoadBalancer' && object.type !== 'LoadBalancer') {
    for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] as const) {
      if (object[field] === old[field]) delete object[field];
    }
  }
}

function sameNodePorts(ports: readonly ServicePort[], old: readonly ServicePort[]): boolean {
  const numbers = (list: readonly ServicePort[]) =>
    [...new Set(list.map((port) => port.nodePort ?? 0).filter((port) => port !== 0))].sort((a, b) => a - b).join();
  return numbers(ports) === numbers(old);
}

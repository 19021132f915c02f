import type { Service } from '#schema/generated/core.v1.ts';
import { canonicalIp, parseIp } from '#schema/validation/ip.ts';

/** The cluster IPs that a service holds, in canonical spelling. */
export function addressesOf({ spec }: Service): string[] {
  if (spec === undefined || spec.type === 'ExternalName') return [];
  const ips = spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : []);
  const addresses = ips.flatMap((ip) => {
    const address = parseIp(ip);
    return address === undefined ? [] : [canonicalIp(address)];
  });
  return [...new Set(addresses)];
}

/** The node ports of a service, including the port for health checks. */
export function nodePortsOf({ spec }: Service): number[] {
  const ports = (spec?.ports ?? []).map((port) => port.nodePort ?? 0);
  return [...new Set([...ports, spec?.healthCheckNodePort ?? 0])].filter((port) => port > 0);
}

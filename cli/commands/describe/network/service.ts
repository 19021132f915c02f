import type { Service } from '#schema/generated/core.v1.ts';
import type { Describer } from '../describer.ts';
import { heading } from '../heading.ts';
import { balancerText } from './balancer-text.ts';
import { endpointsText, slicesOf } from './endpoints-text.ts';

const NONE = '<none>';

/** Describes a service. Shows its addresses, and for each port the addresses of its endpoints. */
export const describeService: Describer = async (writer, object, context) => {
  const { metadata, spec = {}, status } = object as Service;
  const listed = (values: readonly string[] | null | undefined) => (values ?? []).join(',');
  const slices = await slicesOf(context, metadata.namespace, metadata.name ?? '').catch(() => []);
  heading(writer, object);
  const selector = Object.entries(spec.selector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  writer.field(0, 'Selector', selector.map((pair) => pair.join('=')).join(',') || NONE);
  writer.field(0, 'Type', spec.type ?? '');
  writer.optional(0, 'IP Family Policy', spec.ipFamilyPolicy);
  writer.field(0, 'IP Families', listed(spec.ipFamilies) || NONE);
  writer.field(0, 'IP', spec.clusterIP ?? '');
  writer.field(0, 'IPs', listed(spec.clusterIPs) || NONE);
  writer.optional(0, 'External IPs', listed(spec.externalIPs));
  writer.optional(0, 'Desired LoadBalancer IP', spec.loadBalancerIP);
  writer.optional(0, 'External Name', spec.externalName);
  writer.optional(0, 'LoadBalancer Ingress', balancerText(status?.loadBalancer, ', '));
  for (const { name = '', port, protocol = '', targetPort, nodePort } of spec.ports ?? []) {
    const shown = name || '<unset>';
    writer.field(0, 'Port', `${shown}\t${port}/${protocol}`);
    writer.field(0, 'TargetPort', `${targetPort ?? 0}/${protocol}`);
    if (nodePort) writer.field(0, 'NodePort', `${shown}\t${nodePort}/${protocol}`);
    writer.field(0, 'Endpoints', endpointsText(slices, name));
  }
  writer.field(0, 'Session Affinity', spec.sessionAffinity ?? '');
  writer.optional(0, 'External Traffic Policy', spec.externalTrafficPolicy);
  writer.optional(0, 'Internal Traffic Policy', spec.internalTrafficPolicy);
  if (spec.healthCheckNodePort) writer.field(0, 'HealthCheck NodePort', spec.healthCheckNodePort);
  writer.optional(0, 'LoadBalancer Source Ranges', listed(spec.loadBalancerSourceRanges));
};

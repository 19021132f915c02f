import { coreV1 } from '#client/generated/resources.ts';
import type { Ingress, IngressBackend } from '#schema/generated/networking.v1.ts';
import type { DescribeContext, Describer } from '../describer.ts';
import { balancerText } from './balancer-text.ts';
import { endpointsText, slicesOf } from './endpoints-text.ts';

/** Describes an ingress. Shows for each host and path the service and its endpoints. */
export const describeIngress: Describer = async (writer, object, context) => {
  const { metadata, spec = {}, status } = object as Ingress;
  const { name = '', namespace = '' } = metadata;
  const backendText = (backend: IngressBackend) => describeBackend(backend, namespace, context);
  const fallback = spec.defaultBackend ? await backendText(spec.defaultBackend) : '<default>';
  writer.field(0, 'Name', name);
  writer.labels(0, 'Labels', metadata.labels);
  writer.field(0, 'Namespace', namespace);
  writer.field(0, 'Address', balancerText(status?.loadBalancer, ','));
  writer.field(0, 'Ingress Class', spec.ingressClassName ?? '<none>');
  writer.field(0, 'Default backend', fallback);
  if (spec.tls?.length) writer.line(0, 'TLS:');
  for (const { hosts, secretName } of spec.tls ?? [])
    writer.line(1, `${secretName ? `${secretName} terminates` : 'SNI routes'} ${(hosts ?? []).join(',')}`);
  writer.line(0, 'Rules:');
  const ruled = (spec.rules ?? []).filter(({ http }) => http);
  writer.table(1, ['Host', 'Path', 'Backends'], ruled.length === 0 ? [['*', '*', fallback]] : []);
  for (const { host, http } of ruled) {
    writer.line(1, `${host || '*'}\t`);
    for (const { path = '', backend } of http?.paths ?? []) writer.line(2, `\t${path} \t${await backendText(backend)}`);
  }
  writer.annotations(0, metadata.annotations);
};

async function describeBackend(
  { service, resource }: IngressBackend,
  namespace: string,
  context: DescribeContext,
): Promise<string> {
  if (service) {
    const { name, port = {} } = service;
    const lead = `${name}:${port.number || port.name || 0}`;
    try {
      const slices = await slicesOf(context, namespace, name);
      const found = await context.client.resource(coreV1.services).in(namespace).get(name);
      const named = found.spec?.ports?.findLast(
        (one) => (port.number && one.port === port.number) || (port.name && one.name === port.name),
      );
      return `${lead} (${endpointsText(slices, named?.name ?? '')})`;
    } catch (error) {
      return `${lead} (<error: ${error instanceof Error ? error.message : String(error)}>)`;
    }
  }
  if (resource) return `APIGroup: ${resource.apiGroup ?? '<none>'}, Kind: ${resource.kind}, Name: ${resource.name}`;
  return '';
}

import type { EndpointSlice } from '#schema/generated/discovery.v1.ts';
import type { Describer } from '../describer.ts';
import { heading } from '../heading.ts';

const UNSET = '<unset>';

/** Describes a slice of endpoints. Shows its ports, and each endpoint. */
export const describeEndpointSlice: Describer = (writer, object) => {
  const { addressType, ports, endpoints } = object as EndpointSlice;
  heading(writer, object);
  writer.field(0, 'AddressType', addressType);
  writer.line(0, ports?.length ? 'Ports:' : `Ports: ${UNSET}`);
  if (ports?.length) {
    const rows = ports.map(({ name, port, protocol = '' }) => [name || UNSET, port ?? UNSET, protocol]);
    writer.table(1, ['Name', 'Port', 'Protocol'], rows);
  }
  writer.line(0, endpoints?.length ? 'Endpoints:' : 'Endpoints: <none>');
  for (const { addresses, conditions, hostname, targetRef, nodeName, zone } of endpoints ?? []) {
    writer.field(1, '- Addresses', (addresses ?? []).join(', '));
    writer.line(2, 'Conditions:');
    writer.field(3, 'Ready', conditions?.ready ?? UNSET);
    writer.field(2, 'Hostname', hostname ?? UNSET);
    if (targetRef) writer.field(2, 'TargetRef', `${targetRef.kind ?? ''}/${targetRef.name ?? ''}`);
    writer.field(2, 'NodeName', nodeName ?? UNSET);
    writer.field(2, 'Zone', zone ?? UNSET);
  }
};

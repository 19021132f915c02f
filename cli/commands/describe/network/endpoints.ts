import type { Endpoints } from '#schema/generated/core.v1.ts';
import type { Describer } from '../describer.ts';
import { heading } from '../heading.ts';

/** Describes endpoints. Shows the addresses and ports of each subset. */
export const describeEndpoints: Describer = (writer, object) => {
  const { subsets } = object as Endpoints;
  const listed = (addresses: readonly { readonly ip: string }[] | null | undefined) =>
    (addresses ?? []).map(({ ip }) => ip).join(',') || '<none>';
  heading(writer, object);
  writer.line(0, 'Subsets:');
  for (const { addresses, notReadyAddresses, ports } of subsets ?? []) {
    writer.field(1, 'Addresses', listed(addresses));
    writer.field(1, 'NotReadyAddresses', listed(notReadyAddresses));
    if (ports?.length) {
      writer.line(1, 'Ports:');
      const rows = ports.map(({ name, port, protocol = '' }) => [name || '<unset>', port, protocol]);
      writer.table(2, ['Name', 'Port', 'Protocol'], rows);
    }
    writer.line(0, '');
  }
};

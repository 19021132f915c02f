import type { CSINode } from '#schema/generated/storage.v1.ts';
import type { Describer } from '../describer.ts';
import { marks } from '../heading.ts';
import { timeText } from '../times.ts';

/** Describes the storage drivers of a node. */
export const describeCsiNode: Describer = (writer, object) => {
  const { metadata, spec } = object as CSINode;
  writer.field(0, 'Name', metadata.name ?? '');
  marks(writer, object);
  writer.field(0, 'CreationTimestamp', timeText(metadata.creationTimestamp));
  writer.line(0, 'Spec:');
  const drivers = spec?.drivers ?? [];
  if (drivers.length > 0) writer.line(1, 'Drivers:');
  for (const { name, nodeID, allocatable, topologyKeys } of drivers) {
    writer.line(2, `${name}:`);
    writer.field(3, 'Node ID', nodeID);
    if (allocatable?.count != null) {
      writer.line(3, 'Allocatables:');
      writer.field(4, 'Count', allocatable.count);
    }
    if (topologyKeys) writer.field(3, 'Topology Keys', `[${topologyKeys.join(' ')}]`);
  }
};

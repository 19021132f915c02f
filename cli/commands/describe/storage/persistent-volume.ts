import type { CSIPersistentVolumeSource, PersistentVolume } from '#schema/generated/core.v1.ts';
import type { Describer } from '../describer.ts';
import { marks } from '../heading.ts';
import { describeSource } from '../pod/volume-sources.ts';
import { describeAttributes } from '../pod/volumes.ts';
import { ageText } from '../times.ts';
import type { DescriptionWriter } from '../writer.ts';
import { accessModesText } from './access-modes.ts';
import { claimClass } from './claim-class.ts';
import { describeNodeAffinity } from './node-affinity.ts';

/** Describes a persistent volume. Shows its claim, and its source. */
export const describePersistentVolume: Describer = (writer, object, context) => {
  const volume = object as PersistentVolume;
  const { metadata, spec = {}, status } = volume;
  const { claimRef, csi } = spec;
  const going = metadata.deletionTimestamp;
  writer.field(0, 'Name', metadata.name ?? '');
  marks(writer, volume);
  writer.field(0, 'Finalizers', `[${(metadata.finalizers ?? []).join(' ')}]`);
  writer.field(0, 'StorageClass', claimClass(volume, context));
  writer.field(0, 'Status', going ? `Terminating (lasts ${ageText(going, context.now)})` : (status?.phase ?? ''));
  writer.field(0, 'Claim', claimRef ? `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}` : '');
  writer.field(0, 'Reclaim Policy', spec.persistentVolumeReclaimPolicy ?? '');
  writer.field(0, 'Access Modes', accessModesText(spec.accessModes));
  writer.optional(0, 'VolumeMode', spec.volumeMode);
  writer.field(0, 'Capacity', spec.capacity?.['storage'] ?? '0');
  describeNodeAffinity(writer, spec.nodeAffinity);
  writer.field(0, 'Message', status?.message ?? '');
  writer.line(0, 'Source:');
  if (csi) describeCsi(writer, csi);
  else if (!describeSource(writer, { ...spec }, true)) writer.line(1, '<unknown>');
};

function describeCsi(writer: DescriptionWriter, source: CSIPersistentVolumeSource): void {
  writer.fields(2, {
    Type: 'CSI (a Container Storage Interface (CSI) volume source)',
    Driver: source.driver,
    FSType: source.fsType ?? '',
    VolumeHandle: source.volumeHandle,
    ReadOnly: source.readOnly ?? false,
  });
  describeAttributes(writer, source.volumeAttributes);
}

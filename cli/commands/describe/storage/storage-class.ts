import type { StorageClass } from '#schema/generated/storage.v1.ts';
import type { Describer } from '../describer.ts';
import type { Texts } from '../writer.ts';
import { requirementText } from './node-affinity.ts';

/** Describes a storage class. Shows how its volumes are made. */
export const describeStorageClass: Describer = (writer, object, { naming }) => {
  const found = object as StorageClass;
  const { metadata, mountOptions, allowedTopologies, reclaimPolicy, volumeBindingMode } = found;
  const marked = ['storageclass/is-default-class', 'storageclass.beta/is-default-class'].some(
    (key) => metadata.annotations?.[naming.key(key)] === 'true',
  );
  writer.field(0, 'Name', metadata.name ?? '');
  writer.field(0, 'IsDefaultClass', marked ? 'Yes' : 'No');
  writer.field(0, 'Annotations', inLine(writer.labelLines(metadata.annotations)));
  writer.field(0, 'Provisioner', found.provisioner);
  writer.field(0, 'Parameters', inLine(writer.labelLines(found.parameters as Texts | undefined)));
  const grows = found.allowVolumeExpansion;
  writer.field(0, 'AllowVolumeExpansion', grows == null ? '<unset>' : grows ? 'True' : 'False');
  writer.line(0, mountOptions?.length ? 'MountOptions:' : 'MountOptions:\t<none>');
  for (const option of mountOptions ?? []) writer.line(1, option);
  writer.optional(0, 'ReclaimPolicy', reclaimPolicy);
  writer.optional(0, 'VolumeBindingMode', volumeBindingMode);
  if (!allowedTopologies?.length) return;
  writer.line(0, 'AllowedTopologies:\t');
  allowedTopologies.forEach(({ matchLabelExpressions }, at) => {
    writer.list(1, `Term ${at}`, (matchLabelExpressions ?? []).map(requirementText));
  });
};

function inLine(pairs: readonly string[]): string {
  return pairs.join(',') || '<none>';
}

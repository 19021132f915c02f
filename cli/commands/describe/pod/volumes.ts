import type {
  CSIVolumeSource,
  DownwardAPIVolumeFile,
  PersistentVolumeClaimTemplate,
  ProjectedVolumeSource,
  Volume,
} from '#schema/generated/core.v1.ts';
import { type DescriptionWriter, shortened, type Texts } from '../writer.ts';
import { describeSource } from './volume-sources.ts';

/** Describes the volumes of a pod (level 0) or of a template (level 1). */
export function describeVolumes(
  writer: DescriptionWriter,
  level: number,
  volumes: readonly Volume[] | null | undefined,
): void {
  writer.line(level, volumes?.length ? 'Volumes:' : 'Volumes:\t<none>');
  for (const volume of volumes ?? []) {
    writer.line(1, `${level > 0 ? ' ' : ''}${volume.name}:`);
    describeVolume(writer, volume);
  }
}

function describeVolume(writer: DescriptionWriter, volume: Volume): void {
  const { downwardAPI, projected, csi, ephemeral } = volume;
  if (downwardAPI) {
    writer.field(2, 'Type', 'DownwardAPI (a volume populated by information about the pod)');
    writer.line(2, 'Items:');
    for (const item of downwardAPI.items ?? []) writer.line(3, itemText(item));
  } else if (projected) describeProjected(writer, projected);
  else if (csi) describeCsi(writer, csi);
  else if (ephemeral) describeEphemeral(writer, ephemeral.volumeClaimTemplate);
  else if (!describeSource(writer, { ...volume })) writer.line(1, '<unknown>');
}

function itemText({ path, fieldRef, resourceFieldRef }: DownwardAPIVolumeFile): string {
  return `${fieldRef?.fieldPath ?? resourceFieldRef?.resource ?? ''} -> ${path}`;
}

/** Describes the sources of a projected volume. If a source contains the field `optional`, shows its value. */
function describeProjected(writer: DescriptionWriter, { sources }: ProjectedVolumeSource): void {
  writer.field(2, 'Type', 'Projected (a volume that contains injected data from multiple sources)');
  for (const { secret, downwardAPI, configMap, serviceAccountToken } of sources ?? [])
    if (secret) writer.fields(2, { SecretName: secret.name ?? '', SecretOptionalName: secret.optional ?? '<nil>' });
    else if (downwardAPI) writer.field(2, 'DownwardAPI', true);
    else if (configMap)
      writer.fields(2, { ConfigMapName: configMap.name ?? '', ConfigMapOptional: configMap.optional ?? '<nil>' });
    else if (serviceAccountToken)
      writer.field(2, 'TokenExpirationSeconds', serviceAccountToken.expirationSeconds ?? '<nil>');
}

function describeCsi(writer: DescriptionWriter, { driver, fsType, readOnly, volumeAttributes }: CSIVolumeSource): void {
  writer.fields(2, {
    Type: 'CSI (a Container Storage Interface (CSI) volume source)',
    Driver: driver,
    FSType: fsType ?? '',
    ReadOnly: readOnly ?? false,
  });
  describeAttributes(writer, volumeAttributes);
}

/** Writes the attributes of a volume for its driver. */
export function describeAttributes(writer: DescriptionWriter, attributes: Texts | null | undefined): void {
  const keys = Object.keys(attributes ?? {}).sort();
  if (keys.length === 0) writer.line(2, 'VolumeAttributes:\t<none>');
  else
    writer.nested(
      2,
      'VolumeAttributes',
      keys.map((key) => shortened(`${key}=${attributes![key]}`, 140)),
    );
}

function describeEphemeral(writer: DescriptionWriter, template: PersistentVolumeClaimTemplate | undefined): void {
  writer.field(
    2,
    'Type',
    'EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)',
  );
  if (template !== undefined) describeClaimTemplate(writer, 2, template);
}

/** Describes the template of a claim that does not exist yet. */
function describeClaimTemplate(
  writer: DescriptionWriter,
  level: number,
  { metadata, spec }: PersistentVolumeClaimTemplate,
): void {
  const { volumeName, storageClassName, volumeMode } = spec ?? {};
  writer.field(level, 'StorageClass', storageClassName ?? '');
  writer.field(level, 'Volume', volumeName ?? '');
  writer.nested(level, 'Labels', writer.labelLines(metadata?.labels));
  writer.nested(level, 'Annotations', writer.annotationLines(metadata?.annotations));
  writer.field(level, 'Capacity', volumeName ? '0' : '');
  writer.field(level, 'Access Modes', '');
  if (volumeMode) writer.field(level, 'VolumeMode', volumeMode);
}

import type { PersistentVolumeClaimSpec, Volume, VolumeProjection } from '../../generated/core.v1.ts';
import { pullPolicyOf } from './image-name.ts';

/** The mode of a file that its owner may write and every user may read. */
const FILE_MODE = 0o644;

const TOKEN_SECONDS = 3600;

interface FieldFile {
  fieldRef?: { apiVersion?: string };
}

/** Fills in the fields that a volume leaves out. A volume without a source is an empty folder. */
export function defaultVolume(volume: Volume): void {
  if (Object.entries(volume).every(([field, source]) => field === 'name' || source == null)) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source != null) source.defaultMode ??= FILE_MODE;
  }
  defaultFieldFiles(volume.downwardAPI?.items);
  for (const source of volume.projected?.sources ?? []) defaultProjection(source);
  if (volume.image != null) volume.image.pullPolicy ||= pullPolicyOf(volume.image.reference ?? '');
  if (volume.hostPath != null) volume.hostPath.type ??= '';
  defaultDisks(volume);
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim != null) defaultClaimSpec(claim.spec);
}

function defaultFieldFiles(items: readonly FieldFile[] | null | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef != null) fieldRef.apiVersion ||= 'v1';
}

function defaultProjection({ downwardAPI, serviceAccountToken }: VolumeProjection): void {
  defaultFieldFiles(downwardAPI?.items);
  if (serviceAccountToken != null) serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
}

function defaultDisks({ iscsi, rbd, azureDisk, scaleIO }: Volume): void {
  if (iscsi != null) iscsi.iscsiInterface ||= 'default';
  if (rbd != null) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk != null) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO != null) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}

/** Fills in the fields that a claim for storage leaves out, in every kind that contains one. */
export function defaultClaimSpec(spec: PersistentVolumeClaimSpec | null | undefined): void {
  if (spec == null) return;
  spec.volumeMode ??= 'Filesystem';
}

import type { PersistentVolume, PersistentVolumeSpec } from '../../generated/core.v1.ts';

/** Sets a text that is unset; an empty one counts as unset. */
function fill<K extends string>(object: { [key in K]?: string }, field: K, value: string): void {
  if ((object[field] ?? '') === '') object[field] = value;
}

/** Fills in the missing fields of a volume source. */
export function defaultVolumeSource(spec: PersistentVolumeSpec): void {
  const { hostPath, iscsi, rbd, azureDisk, scaleIO } = spec;
  if (hostPath !== undefined) hostPath.type ??= '';
  if (iscsi !== undefined) fill(iscsi, 'iscsiInterface', 'default');
  if (rbd !== undefined) {
    fill(rbd, 'pool', 'rbd');
    fill(rbd, 'user', 'admin');
    fill(rbd, 'keyring', '/etc/ceph/keyring');
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO !== undefined) {
    fill(scaleIO, 'fsType', 'xfs');
    fill(scaleIO, 'storageMode', 'ThinProvisioned');
  }
}

/** Defaults of a persistent volume. */
export function defaultPersistentVolume(object: PersistentVolume): void {
  object.status ??= {};
  fill(object.status, 'phase', 'Pending');
  object.spec ??= {};
  fill(object.spec, 'persistentVolumeReclaimPolicy', 'Retain');
  object.spec.volumeMode ??= 'Filesystem';
  defaultVolumeSource(object.spec);
}

import { selects } from '#client/label-selector.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { compareQuantities } from '#schema/values/quantity.ts';

type HasClass = ApiObject & { readonly spec?: { readonly storageClassName?: string } };

/**
 * The class of a volume or a claim. An annotation of older objects takes precedence over the field.
 * @param annotation the key of that annotation
 */
export function classOf({ metadata, spec }: HasClass, annotation: string): string {
  const { annotations = {} } = metadata;
  return (Object.hasOwn(annotations, annotation) ? annotations[annotation] : spec?.storageClassName) ?? '';
}

/**
 * The best volume for a claim. A volume that is reserved for this claim comes first. Otherwise it is a free volume that
 * is large enough, with the fewest access modes, and of these the smallest.
 * @param annotation the key under which older objects name their class
 */
export function matchVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  annotation: string,
): PersistentVolume | undefined {
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    const mismatch = mismatchOf(volume, claim, annotation);
    if (volume.spec?.claimRef) {
      // A volume that names this claim binds to it, whatever its class is.
      if (isFor(volume, claim) && (mismatch === undefined || mismatch === WRONG_CLASS)) return volume;
      continue;
    }
    if (!isFree(volume) || mismatch !== undefined) continue;
    const { selector } = claim.spec ?? {};
    if (selector && !selects(selector, volume.metadata.labels)) continue;
    if (best === undefined || isBetter(volume, best)) best = volume;
  }
  return best;
}

/** Whether a volume that names no claim is free. A new volume has no phase yet. */
function isFree({ status }: PersistentVolume): boolean {
  const { phase = 'Pending' } = status ?? {};
  return phase === 'Available' || phase === 'Pending';
}

/** Whether a volume names a claim. The name must match, and the uid if the volume already has one. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}

const WRONG_CLASS = 'storageClassName does not match';

/**
 * The reason why a volume does not have the size, class, mode or access modes that a claim asks for; undefined if it
 * has all.
 */
export function mismatchOf(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  annotation: string,
): string | undefined {
  const { accessModes = [], volumeMode = 'Filesystem' } = volume.spec ?? {};
  const { accessModes: wantedModes, volumeMode: wantedMode = 'Filesystem', resources } = claim.spec ?? {};
  if (volume.metadata.deletionTimestamp)
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (compareQuantities(sizeOf(volume), resources?.requests?.['storage'] ?? '0') < 0)
    return 'requested PV is too small';
  if (volumeMode !== wantedMode) return 'incompatible volumeMode';
  if (!(wantedModes ?? []).every((mode) => accessModes?.includes(mode))) return 'incompatible accessMode';
  return classOf(volume, annotation) === classOf(claim, annotation) ? undefined : WRONG_CLASS;
}

function isBetter(a: PersistentVolume, b: PersistentVolume): boolean {
  const fewer = (a.spec?.accessModes?.length ?? 0) - (b.spec?.accessModes?.length ?? 0);
  return fewer !== 0 ? fewer < 0 : compareQuantities(sizeOf(a), sizeOf(b)) < 0;
}

function sizeOf({ spec }: PersistentVolume): string {
  return spec?.capacity?.['storage'] ?? '0';
}

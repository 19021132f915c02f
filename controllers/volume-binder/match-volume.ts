import { selects } from '../../client/label-selector.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../server/schema/generated/core.v1.ts';
import { compareQuantities } from '../../server/schema/values/quantity.ts';

/** The volume that fits a claim best: one that waits for this claim, else the smallest free one that is large enough. */
export function matchVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
): PersistentVolume | undefined {
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (volume.metadata.deletionTimestamp) continue;
    const { claimRef } = volume.spec ?? {};
    if (claimRef) {
      if (isFor(volume, claim) && fits(volume, claim)) return volume;
      continue;
    }
    if (volume.status?.phase !== 'Available' || !fits(volume, claim)) continue;
    const { selector } = claim.spec ?? {};
    if (selector && !selects(selector, volume.metadata.labels)) continue;
    if (best === undefined || compareQuantities(sizeOf(volume), sizeOf(best)) < 0) best = volume;
  }
  return best;
}

/** Whether a volume names a claim: by its name, and its uid where it has one yet. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}

/** Whether a volume is of the size, class, mode and kinds of access that a claim asks for. */
export function fits({ spec: volume }: PersistentVolume, { spec: claim }: PersistentVolumeClaim): boolean {
  const modes = volume?.accessModes ?? [];
  return (
    compareQuantities(volume?.capacity?.['storage'] ?? '0', claim?.resources?.requests?.['storage'] ?? '0') >= 0 &&
    (claim?.accessModes ?? []).every((mode) => modes.includes(mode)) &&
    (volume?.storageClassName ?? '') === (claim?.storageClassName ?? '') &&
    (volume?.volumeMode ?? 'Filesystem') === (claim?.volumeMode ?? 'Filesystem')
  );
}

function sizeOf({ spec }: PersistentVolume): string {
  return spec?.capacity?.['storage'] ?? '0';
}

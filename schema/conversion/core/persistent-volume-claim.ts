import type { PersistentVolumeClaim } from '../../generated/core.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

function defaults(object: ApiObject): void {
  const claim = object as PersistentVolumeClaim;
  claim.status ??= {};
  if ((claim.status.phase ?? '') === '') claim.status.phase = 'Pending';
  claim.spec ??= {};
  claim.spec.volumeMode ??= 'Filesystem';
}

/** The defaults of persistent volume claims in each version. */
export const persistentVolumeClaimVersions = { v1: { defaults } } satisfies KindVersions;

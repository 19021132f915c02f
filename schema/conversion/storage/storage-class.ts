import type { StorageClass } from '../../generated/storage.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

function defaults(object: ApiObject): void {
  const storage = object as StorageClass;
  storage.reclaimPolicy ??= 'Delete';
  storage.volumeBindingMode ??= 'Immediate';
}

/** The defaults of storage classes in each version. */
export const storageClassVersions = { v1: { defaults } } satisfies KindVersions;

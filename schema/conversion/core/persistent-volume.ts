import type { PersistentVolume } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';
import { defaultPersistentVolume } from './default-persistent-volume.ts';

/** The defaults of persistent volumes in each version. */
export const persistentVolumeVersions = {
  v1: { defaults: (object) => defaultPersistentVolume(object as PersistentVolume) },
} satisfies KindVersions;

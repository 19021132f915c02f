import type { PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import type { StorageClass } from '#schema/generated/storage.v1.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { refusal } from '../refusal.ts';

/** Sets the default class of new volume claims that name no class. */
export function defaultStorageClass({ naming, cluster }: PluginEnvironment): AdmissionPlugin {
  const marks = [naming.key('storageclass/is-default-class'), naming.key('storageclass.beta/is-default-class')];
  const oldField = naming.key('volume.beta/storage-class');
  return {
    name: 'DefaultStorageClass',
    handles: handling('', 'persistentvolumeclaims', ['CREATE']),
    mutate(request) {
      const claim = request.object as PersistentVolumeClaim;
      if (claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[oldField] !== undefined) return;
      const defaults = cluster
        .list<StorageClass>('storage', 'storageclasses')
        .filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === 'true'));
      if (defaults.length > 1) {
        throw refusal(request, `Internal error occurred: ${defaults.length} default StorageClasses were found`);
      }
      const name = defaults[0]?.metadata.name;
      if (name !== undefined) claim.spec = { ...claim.spec!, storageClassName: name };
    },
  };
}

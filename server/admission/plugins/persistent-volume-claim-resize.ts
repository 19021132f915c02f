import type { PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import type { StorageClass } from '#schema/generated/storage.v1.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { refusal } from '../refusal.ts';

function storageOf(claim: PersistentVolumeClaim): bigint {
  return parseQuantity(claim.spec?.resources?.requests?.['storage'] ?? '0').nanos;
}

/** Lets a claim grow only if it is bound and its class allows it. */
export function persistentVolumeClaimResize({ naming, cluster }: PluginEnvironment): AdmissionPlugin {
  const oldField = naming.key('volume.beta/storage-class');
  const classOf = ({ metadata, spec }: PersistentVolumeClaim) =>
    metadata.annotations?.[oldField] ?? spec?.storageClassName ?? '';
  return {
    name: 'PersistentVolumeClaimResize',
    handles: handling('', 'persistentvolumeclaims', ['UPDATE']),
    async validate(request) {
      const claim = request.object as PersistentVolumeClaim;
      const before = request.oldObject as PersistentVolumeClaim;
      if (storageOf(claim) <= storageOf(before)) return;
      if (before.status?.phase !== 'Bound') {
        throw refusal(request, 'Only bound persistent volume claims can be expanded');
      }
      const name = classOf(claim);
      const found =
        name === '' || name !== classOf(before)
          ? undefined
          : await cluster.find<StorageClass>('storage', 'storageclasses', name);
      if (found?.allowVolumeExpansion === true) return;
      throw refusal(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    },
  };
}

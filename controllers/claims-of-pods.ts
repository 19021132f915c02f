import type { IndexBy } from '#client/informer/informer.ts';
import type { Pod } from '#schema/generated/core.v1.ts';

/** The fields of pods that name the claims in use. */
export const CLAIM_FIELDS = [
  'spec.volumes.name',
  'spec.volumes.persistentVolumeClaim.claimName',
  'spec.volumes.ephemeral.volumeClaimTemplate.metadata.name',
];

/** The keys of the claims that a pod names, or that the cluster makes for it. */
export const byClaim: IndexBy<Pod> = ({ metadata, spec }) =>
  (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [`${metadata.namespace}/${persistentVolumeClaim.claimName}`];
    return ephemeral ? [`${metadata.namespace}/${metadata.name}-${name}`] : [];
  });

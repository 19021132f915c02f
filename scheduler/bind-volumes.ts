import type { Client } from '#client/client.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { matchVolume } from '#controllers/volume-binder/match-volume.ts';
import type { PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import { isBound, isByHand, reaches } from './filters/volumes.ts';
import type { NodeInfo } from './state/node-info.ts';
import type { PodInfo } from './state/pod-info.ts';
import type { View } from './state/view.ts';

/** The claims of a pod that have no volume yet, because they wait until the pod has a node. */
export function unboundClaims({ claims }: PodInfo, view: View): readonly PersistentVolumeClaim[] {
  return claims.flatMap((key) => {
    const claim = view.claim(key);
    return claim === undefined || isBound(claim, view) ? [] : [claim];
  });
}

/**
 * Provides volumes that a node can reach for claims. It assigns a free volume, or names the node to the provisioner of
 * the claim. The controller of volumes then binds the claims.
 */
export async function bindVolumes(
  claims: readonly PersistentVolumeClaim[],
  node: NodeInfo,
  view: View,
  client: Client,
): Promise<void> {
  const selected = view.key('volume/selected-node');
  for (const claim of claims) {
    const { name = '', namespace = '', uid = '', resourceVersion = '', annotations = {} } = claim.metadata;
    const near = [...view.volumes()].filter((volume) => reaches(volume, node));
    const volume = matchVolume(claim, near, view.key('volume.beta/storage-class'));
    if (volume !== undefined) {
      const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
      const { uid: own = '', resourceVersion: version = '' } = volume.metadata;
      const marks = { [view.key('pv/bound-by-controller')]: 'yes' };
      const metadata = { uid: own, resourceVersion: version, annotations: marks };
      await client
        .resource(coreV1.persistentvolumes)
        .patch(volume.metadata.name ?? '', 'merge', { metadata, spec: { claimRef } });
    } else if (!isByHand(claim, view) && annotations[selected] !== node.name) {
      const metadata = { uid, resourceVersion, annotations: { [selected]: node.name } };
      await client.resource(coreV1.persistentvolumeclaims).in(namespace).patch(name, 'merge', { metadata });
    }
  }
}

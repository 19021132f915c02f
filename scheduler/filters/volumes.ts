import { selectsNode } from '#client/node-selector.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { View } from '../state/view.ts';
import { type Filter, refuse, refuseFinally } from './filter.ts';

const UNBOUND = 'pod has unbound immediate PersistentVolumeClaims';

/** Whether a claim is bound to its volume. */
export function isBound(claim: PersistentVolumeClaim, view: View): boolean {
  return (
    (claim.spec?.volumeName ?? '') !== '' &&
    Object.hasOwn(claim.metadata.annotations ?? {}, view.key('pv/bind-completed'))
  );
}

/** Whether a claim waits for the scheduler to choose a node. */
function waitsForNode(claim: PersistentVolumeClaim, view: View): boolean {
  const storageClass = view.storageClass(claim.spec?.storageClassName ?? '');
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** Whether a volume can be reached from a node. */
export function reaches(volume: PersistentVolume, node: NodeInfo): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return required === undefined || selectsNode(required, node);
}

/** Refuses nodes if a claim has no volume, or if a volume cannot be reached from the node. */
export const volumes: Filter = {
  name: 'VolumeBinding',
  prepare({ claims, pod }, view) {
    if (claims.length === 0) return undefined;
    const bound: PersistentVolume[] = [];
    const waiting: PersistentVolumeClaim[] = [];
    for (const key of claims) {
      const claim = view.claim(key);
      const name = key.slice(key.indexOf('/') + 1);
      if (claim === undefined) return { blocked: `persistentvolumeclaim "${name}" not found` };
      if ((claim.metadata.deletionTimestamp ?? null) !== null)
        return { blocked: `persistentvolumeclaim "${name}" is being deleted` };
      if (claim.status?.phase === 'Lost')
        return {
          blocked: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName}"`,
        };
      const isGeneric = (pod.spec?.volumes ?? []).some(
        (volume) => volume.ephemeral !== undefined && `${pod.metadata.name}-${volume.name}` === name,
      );
      if (isGeneric && !(claim.metadata.ownerReferences ?? []).some(({ uid }) => uid === pod.metadata.uid))
        return { blocked: `PVC ${name} was not created for pod ${pod.metadata.name} (pod is not owner)` };
      if (isBound(claim, view)) {
        const volume = view.volume(claim.spec!.volumeName!);
        if (volume === undefined) return { blocked: `pv "${claim.spec!.volumeName}" not found` };
        bound.push(volume);
      } else if (waitsForNode(claim, view)) waiting.push(claim);
      else return { blocked: UNBOUND };
    }
    return (node) => {
      if (!bound.every((volume) => reaches(volume, node)))
        return refuseFinally('node(s) had volume node affinity conflict');
      return waiting.every((claim) => canBind(claim, node, view))
        ? undefined
        : refuseFinally("node(s) didn't find available persistent volumes to bind");
    };
  },
};

/** The provisioner in classes whose volumes an administrator makes. */
const BY_HAND = 'no-provisioner';

/** Whether an administrator makes the volumes of a claim's class. */
export function isByHand(claim: PersistentVolumeClaim, view: View): boolean {
  const storageClass = view.storageClass(claim.spec?.storageClassName ?? '');
  return storageClass === undefined || storageClass.provisioner === view.key(BY_HAND);
}

/**
 * Whether an unbound claim could get a volume on a node. It may be an existing volume, or a new one from a provisioner.
 */
function canBind(claim: PersistentVolumeClaim, node: NodeInfo, view: View): boolean {
  const name = claim.spec?.storageClassName ?? '';
  const selected = claim.metadata.annotations?.[view.key('volume/selected-node')];
  if (selected !== undefined) return selected === node.name;
  if (!isByHand(claim, view)) {
    const terms = view.storageClass(name)?.allowedTopologies ?? [];
    return (
      terms.length === 0 ||
      terms.some(({ matchLabelExpressions }) =>
        (matchLabelExpressions ?? []).every(
          ({ key, values }) => Object.hasOwn(node.labels, key) && (values ?? []).includes(node.labels[key]!),
        ),
      )
    );
  }
  for (const volume of view.volumes())
    if (volume.status?.phase === 'Available' && volume.spec?.storageClassName === name && reaches(volume, node))
      return true;
  return false;
}

/** Refuses nodes if another pod uses a volume that only one pod may use. */
export const volumeRestrictions: Filter = {
  name: 'VolumeRestrictions',
  prepare({ claims }, view) {
    const taken = claims.some(
      (key) => (view.claim(key)?.spec?.accessModes ?? []).includes('ReadWriteOncePod') && view.usersOfClaim(key) > 0,
    );
    if (!taken) return undefined;
    const reason = 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode';
    return () => refuse(reason);
  },
};

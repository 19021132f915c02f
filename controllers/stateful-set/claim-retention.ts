import type { Naming } from '#base/naming/naming.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { apiVersionOf, type ResourceType } from '#client/resource-type.ts';
import type { StatefulSet } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject, OwnerReference } from '#schema/objects/api-object.ts';

/**
 * The owner references that a claim must have by the policy of its set. With them, the claim is deleted together with
 * the set, or together with a pod that is removed when the set is scaled down. Other owners stay. Undefined if the
 * references are already right.
 *
 * @param extra whether the pod is beyond the wanted number
 */
export function ownersByPolicy(
  set: StatefulSet,
  pod: Pod,
  extra: boolean,
  claim: ApiObject,
  naming: Naming,
): OwnerReference[] | undefined {
  const policy = set.spec?.persistentVolumeClaimRetentionPolicy;
  if (policy === undefined) return undefined;
  const podOwns = extra && policy.whenScaled === 'Delete';
  const setOwns = !podOwns && policy.whenDeleted === 'Delete';
  const owners = claim.metadata.ownerReferences ?? [];
  const has = ({ metadata }: ApiObject) => owners.some(({ uid }) => uid === metadata.uid);
  if (has(set) === setOwns && has(pod) === podOwns) return undefined;
  const others = owners.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
  return [
    ...others,
    ...(setOwns ? [ownedBy(appsV1.statefulsets, set, naming)] : []),
    ...(podOwns ? [ownedBy(coreV1.pods, pod, naming)] : []),
  ];
}

/** Whether a claim will be deleted with an earlier pod of the same name. The next pod cannot use it yet. */
export function isOwnedByEarlierPod(claim: ApiObject, pod: string, uid: string | undefined): boolean {
  return (claim.metadata.ownerReferences ?? []).some(
    (owner) => owner.kind === 'Pod' && owner.name === pod && owner.uid !== uid,
  );
}

function ownedBy(type: ResourceType, { metadata }: ApiObject, naming: Naming): OwnerReference {
  return { apiVersion: apiVersionOf(type, naming), kind: type.kind, name: metadata.name!, uid: metadata.uid! };
}

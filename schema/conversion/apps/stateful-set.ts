import type { StatefulSet, StatefulSetSpec } from '../../generated/apps.v1.ts';
import type { PersistentVolumeClaim } from '../../generated/core.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import { defaultPodTemplate } from '../core/default-pod-template.ts';
import { defaultClaimSpec } from '../core/default-volume.ts';
import type { KindVersions, VersionContext } from '../version-rules.ts';

/** The feature gate of the policy for a set's volume claims. */
export const CLAIM_POLICY = 'StatefulSetAutoDeletePVC';

/** The feature gate for the number of pods of a set that may be missing while it is updated. */
export const MAX_UNAVAILABLE = 'MaxUnavailableStatefulSet';

function defaultClaim(claim: PersistentVolumeClaim): void {
  claim.kind ||= 'PersistentVolumeClaim';
  claim.apiVersion ||= 'v1';
  claim.status ??= {};
  claim.status.phase ||= 'Pending';
  claim.spec ??= {};
  defaultClaimSpec(claim.spec);
}

function defaultStrategy(spec: StatefulSetSpec, { gates }: VersionContext): void {
  const strategy = (spec.updateStrategy ??= {});
  if ((strategy.type ?? '') === '') {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.rollingUpdate === undefined) return;
  strategy.rollingUpdate.partition ??= 0;
  if (strategy.type === 'RollingUpdate' && gates.enabled(MAX_UNAVAILABLE)) {
    strategy.rollingUpdate.maxUnavailable ??= 1;
  }
}

function defaults(object: ApiObject, context: VersionContext): void {
  const { spec } = object as StatefulSet;
  if (spec === undefined) return;
  spec.podManagementPolicy ||= 'OrderedReady';
  defaultStrategy(spec, context);
  if (context.gates.enabled(CLAIM_POLICY)) {
    const policy = (spec.persistentVolumeClaimRetentionPolicy ??= {});
    policy.whenDeleted ||= 'Retain';
    policy.whenScaled ||= 'Retain';
  }
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template, context);
  for (const claim of spec.volumeClaimTemplates ?? []) defaultClaim(claim);
}

/** The defaults of stateful sets in each version. */
export const statefulSetVersions = { v1: { defaults } } satisfies KindVersions;

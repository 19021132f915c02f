import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { StatefulSet } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { OwnerReference } from '#schema/objects/api-object.ts';
import { isOwnedByEarlierPod, ownersByPolicy } from './claim-retention.ts';

const OTHER: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
const SET: OwnerReference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'set' };
const POD: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'db-1', uid: 'pod' };

describe('owners of a claim by the retention policy', () => {
  type Policy = { whenDeleted: string; whenScaled: string };
  const of = (policy: Policy | undefined, extra: boolean, ownerReferences: OwnerReference[]) =>
    ownersByPolicy(
      { metadata: { name: 'db', uid: 'set' }, spec: { persistentVolumeClaimRetentionPolicy: policy } } as StatefulSet,
      { metadata: { name: 'db-1', uid: 'pod' } } as Pod,
      extra,
      { metadata: { ownerReferences } },
      createNaming('orch'),
    );
  const KEEP = { whenDeleted: 'Retain', whenScaled: 'Retain' };
  const WITH_SET = { whenDeleted: 'Delete', whenScaled: 'Retain' };
  const WITH_POD = { whenDeleted: 'Retain', whenScaled: 'Delete' };
  const BOTH = { whenDeleted: 'Delete', whenScaled: 'Delete' };
  const rows: [
    what: string,
    policy: Policy | undefined,
    extra: boolean,
    before: OwnerReference[],
    after: OwnerReference[] | undefined,
  ][] = [
    ['none if the policy is to keep claims', KEEP, true, [OTHER], undefined],
    ['the set is removed if the policy is to keep claims', KEEP, false, [OTHER, SET], [OTHER]],
    ['the set with whenDeleted', WITH_SET, false, [], [SET]],
    ['the set with whenDeleted, even for a pod beyond the replicas', WITH_SET, true, [], [SET]],
    ['none with whenScaled for a pod within the replicas', WITH_POD, false, [], undefined],
    ['the pod with whenScaled for a pod beyond the replicas', WITH_POD, true, [OTHER], [OTHER, POD]],
    ['the pod is removed when it is within the replicas again', WITH_POD, false, [POD], []],
    ['the set with both for a pod within the replicas', BOTH, false, [], [SET]],
    ['the pod instead of the set with both for a pod beyond the replicas', BOTH, true, [SET], [POD]],
    ['unchanged without a policy', undefined, true, [SET], undefined],
  ];
  for (const [what, policy, extra, before, after] of rows)
    it(what, () => {
      assert.deepEqual(of(policy, extra, before), after);
    });

  it('goesWithFormer finds a claim that an earlier pod of the same name owns', () => {
    const claim = { metadata: { ownerReferences: [OTHER, POD] } };
    assert.equal(isOwnedByEarlierPod(claim, 'db-1', undefined), true);
    assert.equal(isOwnedByEarlierPod(claim, 'db-1', 'pod'), false);
    assert.equal(isOwnedByEarlierPod(claim, 'db-2', undefined), false);
  });
});

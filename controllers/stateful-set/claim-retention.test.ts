import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { StatefulSet } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { OwnerReference } from '#schema/objects/api-object.ts';
import { isOwnedByEarlierPod, ownersByPolicy } from './claim-retention.ts';

const OTHER: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
const SET: OwnerReference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'set' };
const POD: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'db-1', uid: 'pod' };

describe('the owners of a claim', () => {
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
    ['none where they stay', KEEP, true, [OTHER], undefined],
    ['none any more where they stay', KEEP, false, [OTHER, SET], [OTHER]],
    ['the set where they go with it', WITH_SET, false, [], [SET]],
    ['also for a pod that goes', WITH_SET, true, [], [SET]],
    ['none while a pod stays', WITH_POD, false, [], undefined],
    ['the pod when it goes', WITH_POD, true, [OTHER], [OTHER, POD]],
    ['none again when it stays after all', WITH_POD, false, [POD], []],
    ['the set while a pod stays', BOTH, false, [], [SET]],
    ['the pod when it goes, in place of the set', BOTH, true, [SET], [POD]],
    ['what they are without a policy', undefined, true, [SET], undefined],
  ];
  for (const [what, policy, extra, before, after] of rows)
    it(what, () => {
      assert.deepEqual(of(policy, extra, before), after);
    });

  it('show that a claim goes with a former pod', () => {
    const claim = { metadata: { ownerReferences: [OTHER, POD] } };
    assert.equal(isOwnedByEarlierPod(claim, 'db-1', undefined), true);
    assert.equal(isOwnedByEarlierPod(claim, 'db-1', 'pod'), false);
    assert.equal(isOwnedByEarlierPod(claim, 'db-2', undefined), false);
  });
});

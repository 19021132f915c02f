import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import { answers, label, makeNode, makePod, makeView, type ViewWish } from '../testing/objects.ts';
import { volumeRestrictions, volumes } from './volumes.ts';

const zone = label('topology/zone');
const nodes = [makeNode('a', { labels: { [zone]: 'z1' } }), makeNode('b', { labels: { [zone]: 'z2' } })];

const bound: PersistentVolumeClaim = {
  metadata: { name: 'data', namespace: 'default', annotations: { [label('pv/bind-completed')]: 'yes' } },
  spec: { volumeName: 'v' },
};
const volume = (name: string, value: string, phase: string): PersistentVolume => ({
  metadata: { name },
  spec: {
    storageClassName: 'late',
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: [value] }] }] },
    },
  },
  status: { phase },
});
const unbound: PersistentVolumeClaim = {
  metadata: { name: 'data', namespace: 'default' },
  spec: { storageClassName: 'late' },
};
const late = (provisioner: string) => ({
  metadata: { name: 'late' },
  provisioner,
  volumeBindingMode: 'WaitForFirstConsumer',
});

const pod = makePod('p', { spec: { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] } });

describe('filters for volumes', () => {
  const cases: readonly (readonly [string, ViewWish, ReturnType<typeof answers>])[] = [
    ['a missing claim', {}, 'persistentvolumeclaim "data" not found'],
    ['a claim without a volume', { claims: [unbound] }, 'pod has unbound immediate PersistentVolumeClaims'],
    ['a deleted volume', { claims: [bound] }, 'pv "v" not found'],
    [
      'a volume with node affinity',
      { claims: [bound], volumes: [volume('v', 'z2', 'Bound')] },
      { a: 'final: node(s) had volume node affinity conflict', b: '' },
    ],
    [
      'a claim that waits for a pod, with a free volume',
      { claims: [unbound], classes: [late(label('no-provisioner'))], volumes: [volume('v', 'z1', 'Available')] },
      { a: '', b: "final: node(s) didn't find available persistent volumes to bind" },
    ],
    ['a claim that waits for a pod, with a provisioner', { claims: [unbound], classes: [late('x')] }, { a: '', b: '' }],
    [
      'a claim with a selected node',
      {
        claims: [
          { ...unbound, metadata: { ...unbound.metadata, annotations: { [label('volume/selected-node')]: 'b' } } },
        ],
        classes: [late('x')],
      },
      { a: "final: node(s) didn't find available persistent volumes to bind", b: '' },
    ],
  ];
  for (const [what, wish, expected] of cases)
    it(`judges ${what}`, () => assert.deepEqual(answers(volumes, pod, makeView(nodes, [], wish)), expected));

  it('allow a ReadWriteOncePod volume for one pod only', () => {
    const claims = [{ ...bound, spec: { ...bound.spec, accessModes: ['ReadWriteOncePod'] } }];
    const other = makePod('q', { node: 'a', spec: pod.spec! });
    other.spec!.nodeName = 'a';
    assert.deepEqual(answers(volumeRestrictions, pod, makeView(nodes, [], { claims })), { a: '', b: '' });
    const reason = 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode';
    assert.deepEqual(answers(volumeRestrictions, pod, makeView(nodes, [other], { claims })), { a: reason, b: reason });
  });
});

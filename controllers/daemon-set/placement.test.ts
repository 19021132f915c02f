import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Node, Pod, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { affinityTo, nodeOf, placementOn } from './placement.ts';

const naming = createNaming('orch');

const required = (...matchExpressions: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const taint = (key: string, effect: string) => ({ key, effect });

describe('placementOn', () => {
  const rows: [
    what: string,
    spec: object,
    node: { labels?: object; taints?: object[] },
    at: 'starts' | 'stays' | 'leaves',
  ][] = [
    ['a pod starts on any node by default', {}, {}, 'starts'],
    ['a pod starts on the node with its node name', { nodeName: 'n1' }, {}, 'starts'],
    ['a pod leaves other nodes than the one with its node name', { nodeName: 'n2' }, {}, 'leaves'],
    [
      'a pod starts if the node selector matches',
      { nodeSelector: { disk: 'ssd' } },
      { labels: { disk: 'ssd' } },
      'starts',
    ],
    [
      'a pod leaves if the node selector does not match',
      { nodeSelector: { disk: 'ssd' } },
      { labels: { disk: 'hdd' } },
      'leaves',
    ],
    [
      'a pod starts if the node affinity matches',
      { affinity: required({ key: 'gpu', operator: 'Exists' }) },
      { labels: { gpu: '' } },
      'starts',
    ],
    [
      'a pod leaves if the node affinity does not match',
      { affinity: required({ key: 'gpu', operator: 'Exists' }) },
      {},
      'leaves',
    ],
    [
      'a NoSchedule taint lets a running pod stay, but no new pod start',
      {},
      { taints: [taint('a', 'NoSchedule')] },
      'stays',
    ],
    ['a NoExecute taint makes a pod leave', {}, { taints: [taint('a', 'NoExecute')] }, 'leaves'],
    ['a PreferNoSchedule taint lets a pod start', {}, { taints: [taint('a', 'PreferNoSchedule')] }, 'starts'],
    [
      'a tolerated taint lets a pod start',
      { tolerations: [{ key: 'a', operator: 'Exists' }] },
      { taints: [taint('a', 'NoExecute')] },
      'starts',
    ],
    [
      'a pod starts on a node that is not ready',
      {},
      { taints: [taint('node.orch.io/not-ready', 'NoExecute')] },
      'starts',
    ],
    [
      'a pod starts on an unschedulable node',
      {},
      { taints: [taint('node.orch.io/unschedulable', 'NoSchedule')] },
      'starts',
    ],
    [
      'a node without a network lets a running pod stay, but no new pod start',
      {},
      { taints: [taint('node.orch.io/network-unavailable', 'NoSchedule')] },
      'stays',
    ],
    [
      'a pod with the host network starts on a node without a network',
      { hostNetwork: true },
      { taints: [taint('node.orch.io/network-unavailable', 'NoSchedule')] },
      'starts',
    ],
  ];
  for (const [what, spec, { labels = {}, taints = [] }, at] of rows)
    it(what, () => {
      const node = { metadata: { name: 'n1', labels }, spec: { taints } } as unknown as Node;
      const placement = placementOn(node, { spec } as unknown as PodTemplateSpec, naming);
      assert.deepEqual(placement, { starts: at === 'starts', stays: at !== 'leaves' });
    });

  it('nodeOf finds the node in the affinity of the pod', () => {
    const template = required({ key: 'gpu', operator: 'Exists' });
    const affinity = affinityTo('n1', template as never);
    assert.equal(nodeOf({ metadata: {}, spec: { affinity } } as Pod), 'n1');
    const [term] = affinity.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!.nodeSelectorTerms!;
    assert.deepEqual(term!.matchExpressions, [{ key: 'gpu', operator: 'Exists' }]);
    assert.equal(
      nodeOf({ metadata: {}, spec: { affinity: affinityTo('n2', undefined), nodeName: 'n3' } } as Pod),
      'n3',
    );
    assert.equal(nodeOf({ metadata: {}, spec: {} } as Pod), undefined);
  });
});

import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Node, Pod, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { affinityTo, nodeOf, placementOn } from './placement.ts';

const naming = createNaming('orch');

const required = (...matchExpressions: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const taint = (key: string, effect: string) => ({ key, effect });

describe('where daemons run', () => {
  const rows: [
    what: string,
    spec: object,
    node: { labels?: object; taints?: object[] },
    at: 'starts' | 'stays' | 'leaves',
  ][] = [
    ['everywhere', {}, {}, 'starts'],
    ['on the named node', { nodeName: 'n1' }, {}, 'starts'],
    ['on no other one', { nodeName: 'n2' }, {}, 'leaves'],
    ['where labels are right', { nodeSelector: { disk: 'ssd' } }, { labels: { disk: 'ssd' } }, 'starts'],
    ['not where they are wrong', { nodeSelector: { disk: 'ssd' } }, { labels: { disk: 'hdd' } }, 'leaves'],
    [
      'where affinity says',
      { affinity: required({ key: 'gpu', operator: 'Exists' }) },
      { labels: { gpu: '' } },
      'starts',
    ],
    ['not where it says otherwise', { affinity: required({ key: 'gpu', operator: 'Exists' }) }, {}, 'leaves'],
    ['nothing new behind a taint', {}, { taints: [taint('a', 'NoSchedule')] }, 'stays'],
    ['nothing at all behind one that evicts', {}, { taints: [taint('a', 'NoExecute')] }, 'leaves'],
    ['where a taint only asks', {}, { taints: [taint('a', 'PreferNoSchedule')] }, 'starts'],
    [
      'where it is tolerated',
      { tolerations: [{ key: 'a', operator: 'Exists' }] },
      { taints: [taint('a', 'NoExecute')] },
      'starts',
    ],
    ['on nodes that are not ready', {}, { taints: [taint('node.orch.io/not-ready', 'NoExecute')] }, 'starts'],
    ['on cordoned ones', {}, { taints: [taint('node.orch.io/unschedulable', 'NoSchedule')] }, 'starts'],
    ['not without a network', {}, { taints: [taint('node.orch.io/network-unavailable', 'NoSchedule')] }, 'stays'],
    [
      'unless it is of the node itself',
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

  it('is what their pods say', () => {
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

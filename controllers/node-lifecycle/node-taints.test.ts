import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Node, NodeSpec } from '#schema/generated/core.v1.ts';
import { changedTaints, evicting, schedulingTaints } from './node-taints.ts';

const naming = createNaming('kubernetes');
const words = (taints: readonly { key: string; effect: string }[]) =>
  taints.map(({ key, effect }) => `${key}:${effect}`);
const domain = naming.domain('node');

describe('taints of nodes', () => {
  const rows: readonly (readonly [
    what: string,
    conditions: object,
    spec: NodeSpec,
    add: string[],
    remove: string[],
  ])[] = [
    ['none on a ready node', { Ready: 'True', MemoryPressure: 'False' }, {}, [], []],
    ['one for each bad condition', { Ready: 'False', PIDPressure: 'True' }, {}, ['not-ready', 'pid-pressure'], []],
    ['unreachable if the ready condition is Unknown', { Ready: 'Unknown' }, {}, ['unreachable'], []],
    ['unschedulable', { Ready: 'True' }, { unschedulable: true }, ['unschedulable'], []],
    [
      'taints that no longer apply are removed',
      { Ready: 'Unknown' },
      {
        taints: [
          ...['not-ready', 'unreachable', 'unschedulable'].map((name) => ({
            key: `${domain}/${name}`,
            effect: 'NoSchedule',
          })),
          { key: 'mine', effect: 'NoSchedule' },
        ],
      },
      [],
      ['not-ready', 'unschedulable'],
    ],
    ['NoExecute taints are not changed', { Ready: 'True' }, { taints: [evicting('not-ready', naming)] }, [], []],
  ];
  for (const [what, conditions, spec, add, remove] of rows)
    it(what, () => {
      const list = Object.entries(conditions).map(([type, status]) => ({ type, status: status as string }));
      const node: Node = { metadata: {}, spec, status: { conditions: list } };
      const change = schedulingTaints(node, naming);
      const long = (names: string[]) => names.map((name) => `${domain}/${name}:NoSchedule`);
      assert.deepEqual([words(change.add), words(change.remove)], [long(add), long(remove)]);
    });

  it('changedTaints adds the time to new taints and keeps other taints', () => {
    const [a, b] = [evicting('not-ready', naming), evicting('unreachable', naming)];
    const mine = { key: 'mine', value: 'v', effect: 'NoSchedule' };
    assert.deepEqual(changedTaints([b, mine], { add: [a], remove: [b] }, 0), [
      mine,
      { ...a, timeAdded: '1970-01-01T00:00:00Z' },
    ]);
    assert.equal(changedTaints([a, mine], { add: [a], remove: [b] }, 0), undefined);
    assert.equal(changedTaints(undefined, { add: [], remove: [b] }, 0), undefined);
  });
});

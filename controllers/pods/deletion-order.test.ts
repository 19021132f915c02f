import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { byDeletion } from './deletion-order.ts';

const NOW = Date.parse('2024-05-01T12:00:00Z');
const COST = 'controller.orch.io/pod-deletion-cost';

interface Traits {
  readonly node?: string;
  readonly phase?: string;
  readonly readyFor?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly age?: number;
}

function pod(
  name: string,
  { node = 'n1', phase = 'Running', readyFor, cost, restarts = 0, age = 3600 }: Traits = {},
): Pod {
  const at = (seconds: number) => new Date(NOW - seconds * 1000).toISOString().replace('.000', '');
  return {
    metadata: {
      name,
      uid: name,
      creationTimestamp: at(age),
      ...(cost === undefined ? {} : { annotations: { [COST]: cost } }),
    },
    spec: { containers: [], ...(node === '' ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions: readyFor === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: at(readyFor) }],
      containerStatuses: [{ name: 'c', restartCount: restarts }],
    },
  } as unknown as Pod;
}

describe('byDeletion deletes first', () => {
  const order = (pods: readonly Pod[], related = pods) =>
    byDeletion(pods, { naming: createNaming('orch'), now: NOW, related }).map(({ metadata }) => metadata.name);
  const rows: [what: string, first: Traits, last: Traits][] = [
    ['pods without a node', { node: '', readyFor: 9 }, { phase: 'Pending' }],
    ['pending pods before pods in an unknown phase', { phase: 'Pending' }, { phase: 'Unknown' }],
    ['pods in an unknown phase before running pods', { phase: 'Unknown', readyFor: 9 }, {}],
    ['pods that are not ready', { cost: '100' }, { readyFor: 1 }],
    ['pods with a negative deletion cost', { cost: '-5', readyFor: 900 }, { readyFor: 10 }],
    [
      'pods with a lower deletion cost, even if they have been ready for longer',
      { cost: '1', readyFor: 900 },
      { cost: '2', readyFor: 10 },
    ],
    ['pods that became ready later', { readyFor: 10, restarts: 0 }, { readyFor: 900, restarts: 9 }],
    ['pods with more restarts', { readyFor: 100, restarts: 2 }, { readyFor: 100, restarts: 1 }],
    ['newer pods', { readyFor: 100, age: 200 }, { readyFor: 100, age: 9000 }],
  ];
  for (const [what, first, last] of rows) {
    it(what, () => {
      assert.deepEqual(order([pod('a', last), pod('b', first)]), ['b', 'a']);
      assert.deepEqual(order([pod('b', first), pod('a', last)]), ['b', 'a']);
    });
  }

  it('pods that share their node with other pods of the owner', () => {
    const one = { readyFor: 100 };
    const pods = [pod('a', { ...one, node: 'n1' }), pod('b', { ...one, node: 'n2' }), pod('c', { ...one, node: 'n2' })];
    assert.equal(order(pods).at(-1), 'a');
  });

  it('by name if the ready times have the same order of magnitude', () => {
    assert.deepEqual(order([pod('b', { readyFor: 600 }), pod('a', { readyFor: 1000 })]), ['a', 'b']);
  });

  it('pods with a negative cost before pods with a cost that overflows', () => {
    assert.deepEqual(order([pod('a', { cost: '-9999999999' }), pod('b', { cost: '-1' })]), ['b', 'a']);
  });
});

import assert from 'node:assert/strict';
import type { Node, NodeCondition } from '#schema/generated/core.v1.ts';
import { isSilent, observe, unknownConditions } from './node-health.ts';

const at = (second: number) => Date.parse('2026-01-01T00:00:00Z') + second * 1000;
const time = (second: number) => new Date(at(second)).toISOString().replace('.000', '');
const GRACES = { runningMs: 40_000, startingMs: 60_000 };

function nodeOf(...conditions: NodeCondition[]): Node {
  return { metadata: { name: 'a', creationTimestamp: time(0) }, status: { conditions } };
}
const ready = (heartbeat: number, status = 'True') => ({ type: 'Ready', status, lastHeartbeatTime: time(heartbeat) });

describe('the health of a node', () => {
  /** One check of a node: its inputs, and the time since which the node is then silent. */
  type Look = readonly [now: number, node: Node, lease: number | undefined, seen: number];
  const rows: readonly (readonly [what: string, looks: readonly Look[]])[] = [
    ['starts when the controller first sees the node', [[100, nodeOf(ready(5)), 7, 100]]],
    ['starts at the creation of a node that never reported a status', [[100, nodeOf(), undefined, 0]]],
    [
      'does not change while the node reports nothing',
      [
        [10, nodeOf(ready(5)), 5, 10],
        [50, nodeOf(ready(5)), 5, 10],
      ],
    ],
    [
      'is renewed by a new status',
      [
        [10, nodeOf(ready(5)), 5, 10],
        [50, nodeOf(ready(6)), 5, 50],
      ],
    ],
    [
      'is renewed by a new lease',
      [
        [10, nodeOf(ready(5)), 5, 10],
        [50, nodeOf(ready(5)), 6, 50],
      ],
    ],
    [
      'is not renewed by an older or deleted lease',
      [
        [10, nodeOf(ready(5)), 5, 10],
        [20, nodeOf(ready(5)), 4, 10],
        [30, nodeOf(ready(5)), undefined, 10],
        [40, nodeOf(ready(5)), 5, 10],
      ],
    ],
    [
      'is renewed by the first status',
      [
        [10, nodeOf(), undefined, 0],
        [50, nodeOf(ready(5)), undefined, 50],
      ],
    ],
  ];
  for (const [what, looks] of rows)
    it(what, () => {
      let health: ReturnType<typeof observe> | undefined;
      for (const [now, node, lease, seen] of looks) {
        health = observe(health, node, lease === undefined ? undefined : time(lease), at(now));
        assert.equal(health.seenAt, at(seen));
      }
    });

  it('expires after the grace period, which is longer before the first status', () => {
    const silent = (node: Node, now: number) =>
      isSilent({ seenAt: at(0), heartbeat: '', renewed: '' }, node, GRACES, at(now));
    assert.deepEqual([silent(nodeOf(ready(0)), 40), silent(nodeOf(ready(0)), 41)], [false, true]);
    assert.deepEqual([silent(nodeOf(), 60), silent(nodeOf(), 61)], [false, true]);
  });

  it('sets known conditions to Unknown when it expires', () => {
    const known = { type: 'MemoryPressure', status: 'False' };
    const unknown = { type: 'DiskPressure', status: 'Unknown' };
    const never = { status: 'Unknown', reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' };
    const stopped = { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
    const lastTransitionTime = time(50);
    assert.deepEqual(unknownConditions(nodeOf(ready(0), known, unknown), at(50)), [
      { type: 'Ready', lastTransitionTime, ...stopped },
      { type: 'MemoryPressure', lastTransitionTime, ...stopped },
      { type: 'PIDPressure', lastTransitionTime, ...never, lastHeartbeatTime: time(0) },
    ]);
  });
});

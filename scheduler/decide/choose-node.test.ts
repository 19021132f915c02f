import assert from 'node:assert/strict';
import { infoOf, makeNode, makePod, makeView } from '../testing/objects.ts';
import { chooseNode, enough } from './choose-node.ts';
import { noNodeMessage, noPreemptionMessage } from './messages.ts';

const named = (choice: ReturnType<typeof chooseNode>) => ('node' in choice ? choice.node.name : 'none');

describe('chooseNode', () => {
  it('chooses the node with the highest score', () => {
    const view = makeView([makeNode('a'), makeNode('b')], [makePod('q', { node: 'a', requests: { cpu: '1' } })]);
    assert.equal(named(chooseNode(infoOf(makePod('p')), view)), 'b');
  });

  it('chooses randomly among nodes with the same score', () => {
    const view = makeView([makeNode('a'), makeNode('b')]);
    const with_ = (number: number) =>
      named(
        chooseNode(
          infoOf(makePod('p')),
          view,
          () => [],
          0,
          () => number,
        ),
      );
    assert.deepEqual([with_(0), with_(0.99)], ['a', 'b']);
  });

  it('reserves space for nominated pods with a higher priority', () => {
    const view = makeView([makeNode('a')]);
    const waiting = (priority: number) => [infoOf(makePod('first', { requests: { cpu: '3' }, spec: { priority } }))];
    const pod = infoOf(makePod('p', { requests: { cpu: '2' }, spec: { priority: 5 } }));
    assert.equal(named(chooseNode(pod, view, () => waiting(10))), 'none');
    assert.equal(named(chooseNode(pod, view, () => waiting(1))), 'a');
  });

  it('scores only a part of many nodes', () => {
    const cases = [
      [10, 10],
      [100, 100],
      [150, 100],
      [500, 230],
      [5000, 500],
    ] as const;
    for (const [nodes, expected] of cases) assert.equal(enough(nodes), expected, `${nodes}`);
  });

  it('explains why no node fits', () => {
    const view = makeView([
      makeNode('a', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }),
      makeNode('b', { allocatable: { cpu: '1' } }),
      makeNode('c', { allocatable: { cpu: '1', memory: '1' } }),
    ]);
    const choice = chooseNode(infoOf(makePod('p', { requests: { cpu: '2', memory: '1Gi' } })), view);
    assert.ok('refusals' in choice);
    assert.equal(
      noNodeMessage(3, choice.refusals.values()),
      '0/3 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint {k: v}, 2 Insufficient cpu.',
    );
    assert.equal(
      noPreemptionMessage(3, choice.refusals.values()),
      'preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    );
    assert.equal(noNodeMessage(0, []), 'no nodes available to schedule pods');
    assert.equal(noNodeMessage(3, 'because'), '0/3 nodes are available: because.');
  });
});

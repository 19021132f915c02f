import assert from 'node:assert/strict';
import type { PodDisruptionBudget } from '#schema/generated/policy.v1.ts';
import { infoOf, makeNode, makePod, makeView, type PodWish } from '../testing/objects.ts';
import { chooseNode } from './choose-node.ts';
import { choosePreemption, mayPreempt } from './preempt.ts';

const important = (wish: PodWish = {}) =>
  infoOf(makePod('important', { requests: { cpu: '2' }, ...wish, spec: { priority: 100, ...wish.spec } }));

const on = (node: string, name: string, priority: number, more: PodWish = {}) =>
  makePod(name, { node, requests: { cpu: '2' }, ...more, spec: { priority, ...more.spec } });

const budget = (app: string, disruptionsAllowed: number): PodDisruptionBudget => ({
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});

async function victims(
  pods: readonly ReturnType<typeof makePod>[],
  budgets: readonly PodDisruptionBudget[] = [],
  pod = important(),
): Promise<string> {
  const view = makeView([makeNode('a'), makeNode('b')], pods);
  const choice = chooseNode(pod, view);
  if ('node' in choice) return `fits on ${choice.node.name}`;
  const candidate = await choosePreemption(pod, view, choice.refusals, budgets);
  if (candidate === undefined) return 'none';
  return `${candidate.node.name}: ${candidate.victims.map(({ key }) => key.split('/')[1]).join(', ')}`;
}

describe('preemption', () => {
  const web = { labels: { app: 'web' } };
  const cases: readonly (readonly [what: string, found: () => Promise<string>, expected: string])[] = [
    ['is not needed if a node has space', () => victims([on('a', 'a1', 0)]), 'fits on b'],
    [
      'evicts pods with the lowest priority',
      () => victims([on('a', 'a1', 5), on('a', 'a2', 1), on('b', 'b1', 5), on('b', 'b2', 3)]),
      'a: a2',
    ],
    [
      'never evicts pods with the same or a higher priority',
      () => victims([on('a', 'a1', 100), on('a', 'a2', 100), on('b', 'b1', 200), on('b', 'b2', 100)]),
      'none',
    ],
    [
      'evicts as few pods as possible',
      () =>
        victims([
          ...[1, 2, 3, 4].map((i) => on('a', `a${i}`, 1, { requests: { cpu: '1' } })),
          ...[on('b', 'b1', 1), on('b', 'b2', 1)],
        ]),
      'b: b2',
    ],
    [
      'respects disruption budgets if possible',
      () =>
        victims([on('a', 'a1', 1, web), on('a', 'a2', 1, web), on('b', 'b1', 5), on('b', 'b2', 5)], [budget('web', 0)]),
      'b: b2',
    ],
    [
      'evicts as many pods as a disruption budget allows',
      () =>
        victims([on('a', 'a1', 1, web), on('a', 'a2', 1, web), on('b', 'b1', 5), on('b', 'b2', 5)], [budget('web', 2)]),
      'a: a2',
    ],
    [
      'violates a disruption budget if no other node helps',
      () =>
        victims(
          [on('a', 'a1', 1, web), on('a', 'a2', 1, web), on('b', 'b1', 200), on('b', 'b2', 200)],
          [budget('web', 0)],
        ),
      'a: a2',
    ],
    [
      'evicts pods that started last',
      () =>
        victims([
          ...['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'].map((startTime, i) =>
            on('a', `a${i}`, 1, { status: { startTime } }),
          ),
          ...[on('b', 'b1', 200), on('b', 'b2', 200)],
        ]),
      'a: a1',
    ],
    [
      'does not help if the node is too small',
      () => victims([on('a', 'a1', 1), on('b', 'b1', 1)], [], important({ requests: { cpu: '5' } })),
      'none',
    ],
  ];
  for (const [what, found, expected] of cases) it(what, async () => assert.equal(await found(), expected));

  it('is not allowed for pods with the policy Never, or while earlier victims terminate', () => {
    const view = makeView([makeNode('a')], [on('a', 'a1', 1, { deleted: true })]);
    assert.equal(mayPreempt(important(), view), true);
    assert.equal(mayPreempt(important({ spec: { preemptionPolicy: 'Never' } }), view), false);
    assert.equal(mayPreempt(important({ status: { nominatedNodeName: 'a' } }), view), false);
  });
});

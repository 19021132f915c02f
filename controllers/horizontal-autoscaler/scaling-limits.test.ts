import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { HorizontalPodAutoscalerBehavior } from '#schema/generated/autoscaling.v2.ts';
import { type History, limit } from './scaling-limits.ts';

const NOW = 10_000_000;
const NONE: History = { recommended: [], changes: [] };

describe('scaling limits of an autoscaler', () => {
  const at = (current: number) => ({ current, min: 2, max: 50, downscaleMs: 300_000, now: NOW });
  const pods = (value: number) => ({ policies: [{ type: 'Pods', value, periodSeconds: 60 }] });
  const rows: readonly (readonly [
    what: string,
    numbers: readonly [current: number, recommended: number],
    behavior: HorizontalPodAutoscalerBehavior,
    history: History,
    expected: string,
  ])[] = [
    ['at most two pods more a minute', [10, 20], { scaleUp: pods(2) }, NONE, '12 ScaleUpLimit'],
    [
      'pods added within the last minute count',
      [12, 20],
      { scaleUp: pods(2) },
      { ...NONE, changes: [{ by: 2, at: NOW - 30_000 }] },
      '12 ScaleUpLimit',
    ],
    [
      'pods added earlier do not count',
      [12, 20],
      { scaleUp: pods(2) },
      { ...NONE, changes: [{ by: 2, at: NOW - 61_000 }] },
      '14 ScaleUpLimit',
    ],
    ['scaling up is disabled', [10, 20], { scaleUp: { selectPolicy: 'Disabled' } }, NONE, '10 ScaleUpLimit'],
    [
      'at most one pod fewer a minute',
      [10, 3],
      { scaleDown: { ...pods(1), stabilizationWindowSeconds: 0 } },
      NONE,
      '9 ScaleDownLimit',
    ],
    ['not below minReplicas', [10, 1], { scaleDown: { stabilizationWindowSeconds: 0 } }, NONE, '2 TooFewReplicas'],
    [
      'a higher recommendation within the stabilization window delays scaling down',
      [10, 3],
      {},
      { ...NONE, recommended: [{ replicas: 8, at: NOW - 1000 }] },
      '8 DesiredWithinRange',
    ],
    [
      'a lower recommendation within the stabilization window delays scaling up',
      [10, 20],
      { scaleUp: { stabilizationWindowSeconds: 60 } },
      { ...NONE, recommended: [{ replicas: 11, at: NOW - 1000 }] },
      '11 DesiredWithinRange',
    ],
  ];
  for (const [what, [current, recommended], behavior, history, expected] of rows)
    it(what, () => {
      const { replicas, limited } = limit(recommended, at(current), history, behavior);
      assert.equal(`${replicas} ${limited.reason}`, expected);
    });

  it('hold for any recommendation', () => {
    const number = fc.integer({ min: 1, max: 100 });
    const rules = fc.option(fc.constantFrom<HorizontalPodAutoscalerBehavior>({}, { scaleUp: pods(3) }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(number, fc.integer({ min: 2, max: 50 }), rules, (recommended, current, behavior) => {
        const { replicas } = limit(recommended, at(current), NONE, behavior);
        assert.ok(replicas >= 2 && replicas <= 50);
        assert.ok(recommended >= current ? replicas >= current : replicas <= current);
      }),
    );
  });
});

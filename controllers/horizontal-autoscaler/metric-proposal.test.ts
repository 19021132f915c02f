import assert from 'node:assert/strict';
import type { MetricSpec } from '#schema/generated/autoscaling.v2.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { type Judging, proposalOf } from './metric-proposal.ts';
import type { PodMetric } from './replica-count.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const LONG_AGO = '2026-01-01T00:00:00Z';

interface PodWish {
  readonly ready?: boolean;
  readonly start?: string;
  readonly phase?: string;
}

function pod(name: string, { ready = true, start = LONG_AGO, phase = 'Running' }: PodWish = {}): Pod {
  const resources = { requests: { cpu: '100m', memory: '1Mi' } };
  const condition = { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: start };
  return {
    metadata: { name },
    spec: { containers: [{ name: 'c', resources }] },
    status: { phase, startTime: start, conditions: [condition] },
  };
}

const used = (...milli: number[]): ReadonlyMap<string, PodMetric> =>
  new Map(milli.map((one, i) => [`p${i}`, { milli: one, at: NOW, windowMs: 15_000 }]));

const judging = (
  pods: readonly Pod[],
  metrics: ReadonlyMap<string, PodMetric>,
  number = 0,
  there = pods.length,
): Judging => ({
  reader: {
    resource: async () => metrics,
    pods: async () => metrics,
    object: async () => number,
    external: async () => number,
  },
  ...{ namespace: 'n', selector: 'a=b', wanted: there, there, now: NOW },
  pods: async () => pods,
  times: { cpuInitializationMs: 300_000, initialReadinessMs: 30_000 },
  tolerance: { up: 0.1, down: 0.1 },
});

const share = (percent: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percent } },
});
const amount: MetricSpec = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100' } },
};
const young = new Date(NOW - 5000).toISOString();

describe('proposalOf a metric', () => {
  const three = [pod('p0'), pod('p1'), pod('p2')];
  const rows: readonly (readonly [what: string, metric: MetricSpec, judged: Judging, replicas: number | string])[] = [
    ['double the target utilization: double the pods', share(50), judging(three, used(100, 100, 100)), 6],
    ['near the target: no change', share(50), judging(three, used(52, 53, 54)), 3],
    ['a third of the target utilization: a third of the pods', share(60), judging(three, used(20, 20, 20)), 1],
    [
      'a starting pod with high utilization counts as idle',
      share(50),
      judging([...three.slice(1), pod('p0', { start: young })], used(90, 90, 90)),
      4,
    ],
    [
      'a starting pod with low utilization is not counted',
      share(50),
      judging([pod('p0', { start: young }), ...three.slice(1)], used(100, 25, 25)),
      1,
    ],
    ['a pod without a metric with high utilization counts as idle', share(50), judging(three, used(100, 100)), 4],
    [
      'a pod without a metric with low utilization counts as using its request',
      share(50),
      judging(three, used(10, 10)),
      3,
    ],
    [
      'a failed pod is not counted',
      share(50),
      judging([...three, pod('p3', { phase: 'Failed' })], used(50, 50, 50), 0, 3),
      3,
    ],
    [
      'an error without pods',
      share(50),
      judging([], used(1)),
      'no pods returned by selector while calculating replica count',
    ],
    [
      'an error if no pod is ready',
      share(50),
      judging([pod('p0', { phase: 'Pending' })], used(1)),
      'did not receive metrics for targeted pods (pods might be unready)',
    ],
    ['an average amount of a resource', amount, judging(three, used(200_000, 200_000, 200_000)), 6],
    [
      'a metric of each pod',
      { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
      judging(three, used(2000, 2000, 2000)),
      6,
    ],
    [
      'a metric of another object',
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'Service', name: 's' },
          metric: { name: 'm' },
          target: { type: 'Value', value: '10' },
        },
      },
      judging(three, used(), 20_000),
      6,
    ],
    [
      'an external metric per pod',
      { type: 'External', external: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '10' } } },
      judging(three, used(), 45_000),
      5,
    ],
  ];
  for (const [what, metric, judged, expected] of rows)
    it(what, async () => {
      const proposal = await proposalOf(metric, judged);
      if (typeof expected === 'number') assert.equal('replicas' in proposal && proposal.replicas, expected);
      else assert.ok('cause' in proposal && proposal.cause.endsWith(`: ${expected}`));
    });

  it('returns the measured value', async () => {
    const proposal = await proposalOf(share(50), judging(three, used(100, 50, 30)));
    assert.deepEqual('status' in proposal && proposal.status, {
      type: 'Resource',
      resource: { name: 'cpu', current: { averageUtilization: 60, averageValue: '60m' } },
    });
  });

  it('names the container without a request in its error', async () => {
    const without = { ...pod('p0'), spec: { containers: [{ name: 'c' }] } };
    const proposal = await proposalOf(share(50), judging([without], used(1)));
    assert.deepEqual('cause' in proposal && [proposal.reason, proposal.cause], [
      'FailedGetResourceMetric',
      'failed to get cpu utilization: missing request for cpu in container c of Pod p0',
    ]);
  });
});

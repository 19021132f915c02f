import assert from 'node:assert/strict';
import { appsV1, autoscalingV2, coreV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '#schema/generated/autoscaling.v2.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { stepOf } from './autoscaler-step.ts';
import { horizontalAutoscalerController } from './horizontal-autoscaler-controller.ts';
import type { Proposal } from './metric-proposal.ts';
import type { History } from './scaling-limits.ts';

const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };
const autoscaler = (spec: Partial<HorizontalPodAutoscalerSpec>): HorizontalPodAutoscaler => ({
  metadata: { name: 'a' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' },
    minReplicas: 2,
    maxReplicas: 4,
    metrics: [cpu],
    ...spec,
  },
});

describe('one step of a horizontal autoscaler', () => {
  const status = { type: 'Resource' };
  const good = (replicas: number): Proposal => ({ replicas, from: 'cpu resource', status });
  const bad: Proposal = { reason: 'FailedGetResourceMetric', cause: 'no metrics', failure: 'failed' };
  const step = (
    replicas: number,
    proposals: readonly Proposal[] = [],
    history: History = { recommended: [], changes: [] },
  ) =>
    stepOf(autoscaler({ maxReplicas: 20 }), {
      ...{ replicas, history, downscaleMs: 300_000, now: 1_000_000 },
      proposals: async () => proposals,
    });
  const texts = async (made: ReturnType<typeof step>) => {
    const { rescale, conditions } = await made;
    return [rescale?.replicas, rescale?.reason, ...conditions.map(({ reason }) => reason)].filter(Boolean).join(' | ');
  };

  it('keeps the replicas within minReplicas and maxReplicas', async () => {
    assert.equal(await texts(step(25)), '20 | Current number of replicas above Spec.MaxReplicas | SucceededGetScale');
    assert.equal(await texts(step(1)), '2 | Current number of replicas below Spec.MinReplicas | SucceededGetScale');
    assert.equal(await texts(step(0)), 'SucceededGetScale | ScalingDisabled');
  });

  it('uses the metric that proposes the most replicas', async () => {
    assert.equal(
      await texts(step(3, [good(5), good(4)])),
      '5 | cpu resource above target | ReadyForNewScale | ValidMetricFound | DesiredWithinRange',
    );
    assert.equal(
      await texts(step(3, [good(2)])),
      '2 | All metrics below target | ReadyForNewScale | ValidMetricFound | DesiredWithinRange',
    );
    assert.equal(await texts(step(3, [good(3)])), 'ReadyForNewScale | ValidMetricFound | DesiredWithinRange');
  });

  it('limits the growth rate, and shrinks only after the stabilization window', async () => {
    assert.match(await texts(step(3, [good(19)])), /^6 .* ScaleUpLimit$/);
    const wanted = (at: number): History => ({ recommended: [{ replicas: 9, at }], changes: [] });
    assert.equal(
      await texts(step(9, [good(2)], wanted(900_000))),
      'ScaleDownStabilized | ValidMetricFound | DesiredWithinRange',
    );
    assert.match(await texts(step(9, [good(2)], wanted(600_000))), /^2 /);
  });

  it('does not shrink while a metric is missing', async () => {
    assert.equal(await texts(step(3, [bad])), 'SucceededGetScale | FailedGetResourceMetric');
    assert.equal(await texts(step(3, [good(2), bad])), 'SucceededGetScale | FailedGetResourceMetric');
    assert.match(await texts(step(3, [good(5), bad])), /^5 /);
    assert.deepEqual((await step(3, [bad])).warnings, [
      { reason: 'FailedGetResourceMetric', message: 'no metrics' },
      {
        reason: 'FailedComputeMetricsReplicas',
        message: 'invalid metrics (1 invalid out of 1), first error is: failed: no metrics',
      },
    ]);
  });
});

describe('horizontal autoscaler controller, with an API server', () => {
  const running = aroundManager(
    [horizontalAutoscalerController],
    '--use-service-account-credentials',
    '--horizontal-pod-autoscaler-sync-period=100ms',
  );

  it('keeps the replicas of its target within the limits and reports missing metrics', async () => {
    const { client } = running;
    const labels = { app: 'web' };
    const sets = client.resource(appsV1.replicasets).in('default');
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await sets.create({
      metadata: { name: 'web' },
      spec: { replicas: 9, selector: { matchLabels: labels }, template },
    });
    const autoscalers = client.resource(autoscalingV2.horizontalpodautoscalers).in('default');
    await autoscalers.create(autoscaler({}));
    await waitUntil('it has fewer', async () => (await sets.get('web')).spec?.replicas === 4);
    const condition = async (type: string) =>
      (await autoscalers.get('a')).status?.conditions?.find((each) => each.type === type);
    const active = await waitUntil('it says so', () => condition('ScalingActive'));
    assert.deepEqual([active?.status, active?.reason], ['False', 'FailedGetResourceMetric']);
    assert.equal((await condition('AbleToScale'))?.status, 'True');
    const { status } = await autoscalers.get('a');
    assert.deepEqual([status?.currentReplicas, status?.desiredReplicas], [4, 4]);
    await autoscalers.create({
      ...autoscaler({ scaleTargetRef: { kind: 'None', name: 'x' } }),
      metadata: { name: 'b' },
    });
    await waitUntil('the other one says so', async () =>
      (await autoscalers.get('b')).status?.conditions?.some(({ reason }) => reason === 'FailedGetScale'),
    );
    const events = client.resource(coreV1.events).in('default');
    await waitUntil('there is an event', async () =>
      (await events.list()).items.some(({ reason }) => reason === 'SuccessfulRescale'),
    );
  });
});

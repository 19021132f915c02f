import assert from 'node:assert/strict';
import { appsV1, autoscalingV2, coreV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '#schema/generated/autoscaling.v2.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { stepOf } from './autoscaler-step.ts';
import { horizontalAutoscalerController } from './horizontal-autoscaler-controller.ts';

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

describe('the step of an autoscaler', () => {
  const reasons = (spec: Partial<HorizontalPodAutoscalerSpec>, replicas: number) =>
    stepOf(autoscaler(spec), replicas).conditions.map(({ reason }) => reason);

  it('keeps the target within its limits', () => {
    assert.deepEqual(stepOf(autoscaler({}), 5).rescale?.replicas, 4);
    assert.deepEqual(stepOf(autoscaler({}), 1).rescale?.replicas, 2);
    assert.equal(stepOf(autoscaler({}), 3).rescale, undefined);
    assert.deepEqual(reasons({}, 0), ['SucceededGetScale', 'ScalingDisabled']);
  });

  it('says of each metric that it has none', () => {
    const named = { metric: { name: 'm' }, target: { type: 'Value', value: '1' } };
    const rows: readonly (readonly [metric: object, reason: string])[] = [
      [cpu, 'FailedGetResourceMetric'],
      [
        { type: 'ContainerResource', containerResource: { ...cpu.resource, container: 'c' } },
        'FailedGetContainerResourceMetric',
      ],
      [{ type: 'Pods', pods: named }, 'FailedGetPodsMetric'],
      [{ type: 'Object', object: { ...named, describedObject: { kind: 'Pod', name: 'p' } } }, 'FailedGetObjectMetric'],
      [{ type: 'External', external: named }, 'FailedGetExternalMetric'],
    ];
    for (const [metric, reason] of rows) {
      const { conditions, warnings } = stepOf(autoscaler({ metrics: [metric as never] }), 3);
      assert.equal(conditions[1]?.reason, reason);
      assert.match(conditions[1]?.message ?? '', /this controller manager reads no metrics$/);
      assert.deepEqual(
        warnings.map((warning) => warning.reason),
        [reason, 'FailedComputeMetricsReplicas'],
      );
    }
  });
});

describe('horizontal autoscaler, with an API server', () => {
  const running = aroundManager(
    [horizontalAutoscalerController],
    '--use-service-account-credentials',
    '--horizontal-pod-autoscaler-sync-period=100ms',
  );

  it('keeps its target within its limits, and says that it has no metrics', async () => {
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

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { releaseOf } from '#base/release/release.ts';
import { sharedMessage } from '#schema/descriptors/load.ts';
import type { HorizontalPodAutoscaler, MetricSpec } from '#schema/generated/autoscaling.v2.ts';
import { arbitraryObject } from '../../codecs/protobuf/arbitrary-object.test.ts';
import { KindHarness } from '../apps/testing/kind-harness.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import { targetsText } from './targets-text.ts';

const kind = new KindHarness(horizontalPodAutoscaler, 'autoscaling.v2.HorizontalPodAutoscaler');
const { naming } = kind.context;
const key = (name: string) => naming.key(`autoscaling.alpha/${name}`);
const target = { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 5 };
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const pods = { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '5' } } };

function metricsOf(spec: object, version = 'v2', annotations?: object): MetricSpec[] | undefined {
  const metadata = { name: 'a', ...(annotations && { annotations }) };
  const { object, errors } = kind.create({ metadata, spec: { ...target, ...spec } }, version);
  assert.deepEqual(errors, []);
  return (object as HorizontalPodAutoscaler).spec?.metrics;
}

describe('HorizontalPodAutoscalers', () => {
  const tables: [title: string, spec: object, version: string, annotations: object | undefined, after: object[]][] = [
    ['no metric', {}, 'v2', undefined, [cpu(80)]],
    ['an empty list of metrics', { metrics: [] }, 'v2beta2', undefined, [cpu(80)]],
    ['v1 without a target', {}, 'v1', undefined, [cpu(80)]],
    ['v1 with a target', { targetCPUUtilizationPercentage: 40 }, 'v1', undefined, [cpu(40)]],
    [
      'several CPU targets, of which they keep the first at the end',
      { metrics: [cpu(11), cpu(22), pods] },
      'v2',
      undefined,
      [pods, cpu(11)],
    ],
    [
      'metrics in an annotation of v1',
      { targetCPUUtilizationPercentage: 40 },
      'v1',
      { [key('metrics')]: '[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":5}}]' },
      [pods, cpu(40)],
    ],
    ['an annotation that is not JSON', {}, 'v1', { [key('metrics')]: '[{' }, [cpu(80)]],
    ['an annotation of another form', {}, 'v1', { [key('metrics')]: '[{"type":5}]' }, [cpu(80)]],
  ];
  for (const [title, spec, version, annotations, after] of tables) {
    it(`have the right metrics for ${title}`, () => assert.deepEqual(metricsOf(spec, version, annotations), after));
  }

  it('complete a behavior, but do not replace an empty list of policies', () => {
    const behavior = { scaleDown: { policies: [] } };
    const { errors } = kind.create({ metadata: { name: 'a' }, spec: { ...target, behavior } });
    assert.deepEqual(errors, ['spec.behavior.scaleDown.policies: Required value: must specify at least one Policy']);
  });

  it('have annotations in v1 for fields that v1 does not have', () => {
    const spec = { ...target, metrics: [pods, cpu(50)], behavior: { scaleUp: { selectPolicy: 'Min' } } };
    const { object } = kind.create({ metadata: { name: 'a', annotations: { mine: 'x' } }, spec });
    const { metadata, spec: shown } = kind.show(object, 'v1') as { metadata: { annotations: object }; spec: object };
    assert.deepEqual(shown, { ...target, minReplicas: 1, targetCPUUtilizationPercentage: 50 });
    assert.deepEqual(metadata.annotations, {
      mine: 'x',
      [key('metrics')]: '[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"5"}}]',
      [key('behavior')]:
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Min","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}]},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}]}}',
    });
  });

  it('are converted to v1 and v2beta2 and back without loss', () => {
    const spec = sharedMessage('autoscaling.v2.MetricSpec');
    fc.assert(
      fc.property(fc.array(arbitraryObject(spec), { maxLength: 3 }), (metrics) => {
        const { object, errors } = kind.create({ metadata: { name: 'a' }, spec: { ...target, metrics } });
        fc.pre(errors.length === 0);
        for (const version of ['v1', 'v2beta2']) {
          const back = kind.create(kind.show(object, version), version);
          assert.deepEqual(back.errors, []);
          assert.deepEqual(back.object['spec'], object['spec']);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('show at most two metrics in tables', () => {
    const { object } = kind.create({ metadata: { name: 'a' }, spec: { ...target, metrics: [pods, pods, cpu(50)] } });
    assert.equal(kind.cells(object)[2], '<unknown>/5, <unknown>/5 + 1 more...');
    const status = {
      currentMetrics: [{ type: 'Pods', pods: { metric: { name: 'rps' }, current: { averageValue: '7' } } }],
    };
    assert.equal(kind.cells({ ...object, status })[2], '7/5, <unknown>/5 + 1 more...');
  });

  it('show the names of resource metrics since 1.30', () => {
    const { object } = kind.create({ metadata: { name: 'a' }, spec: { ...target, metrics: [pods, cpu(50)] } });
    const { metrics } = (object as HorizontalPodAutoscaler).spec!;
    const shown = (name: '1.29' | '1.30') => targetsText(metrics, undefined, releaseOf(name));
    assert.equal(shown('1.29'), '<unknown>/5, <unknown>/50%');
    assert.equal(shown('1.30'), '<unknown>/5, cpu: <unknown>/50%');
  });
});

import type { HorizontalPodAutoscaler, MetricSpec } from '#schema/generated/autoscaling.v2.ts';
import { type Condition, timeText } from '../pods/conditions.ts';

/** Why there is no number: nothing here reads metrics, whether or not there are any. */
const NO_METRICS = 'this controller manager reads no metrics';

/** What an autoscaler asks for, of a target that has so many replicas. */
export interface AutoscalerStep {
  /** The number that the target is given, and why; absent where it keeps its own. */
  readonly rescale?: { readonly replicas: number; readonly reason: string };
  readonly conditions: readonly Said[];
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
}

interface Said {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The next step of an autoscaler: it keeps its target within its limits, and says of metrics that it has none. */
export function stepOf({ spec }: HorizontalPodAutoscaler, replicas: number): AutoscalerStep {
  const { minReplicas = 1, maxReplicas, metrics = [] } = spec!;
  const able: Said = {
    type: 'AbleToScale',
    status: 'True',
    reason: 'SucceededGetScale',
    message: "the HPA controller was able to get the target's current scale",
  };
  if (replicas === 0 && minReplicas !== 0) {
    const message = 'scaling is disabled since the replica count of the target is zero';
    const disabled: Said = { type: 'ScalingActive', status: 'False', reason: 'ScalingDisabled', message };
    return { conditions: [able, disabled], warnings: [] };
  }
  if (replicas > maxReplicas) return rescale(able, maxReplicas, 'Current number of replicas above Spec.MaxReplicas');
  if (replicas < minReplicas) return rescale(able, minReplicas, 'Current number of replicas below Spec.MinReplicas');
  const problems = metrics.map(problemOf);
  const [first] = problems;
  if (first === undefined) return { conditions: [able], warnings: [] };
  const message = `the HPA was unable to compute the replica count: ${first.cause}`;
  const inactive: Said = { type: 'ScalingActive', status: 'False', reason: first.reason, message };
  const count = problems.length;
  const summary = `invalid metrics (${count} invalid out of ${count}), first error is: ${first.failure}: ${first.cause}`;
  return {
    conditions: [able, inactive],
    warnings: [
      ...problems.map(({ reason, cause }) => ({ reason, message: cause })),
      { reason: 'FailedComputeMetricsReplicas', message: summary },
    ],
  };
}

function rescale(able: Said, replicas: number, reason: string): AutoscalerStep {
  return { conditions: [able], warnings: [], rescale: { replicas, reason } };
}

function problemOf(metric: MetricSpec): { readonly reason: string; readonly cause: string; readonly failure: string } {
  const fetch = (api: string) => `unable to fetch metrics from ${api} metrics API: ${NO_METRICS}`;
  const { type, resource, containerResource, pods, object, external } = metric;
  if (resource !== undefined || containerResource !== undefined) {
    const { name, target } = (resource ?? containerResource)!;
    const what = target.type === 'Utilization' ? 'utilization' : 'usage';
    return {
      reason: resource === undefined ? 'FailedGetContainerResourceMetric' : 'FailedGetResourceMetric',
      cause: `failed to get ${name} ${what}: unable to get metrics for resource ${name}: ${fetch('resource')}`,
      failure:
        resource === undefined
          ? `failed to get ${containerResource?.container} container metric value`
          : `failed to get ${name} resource metric value`,
    };
  }
  if (external !== undefined) {
    const { name } = external.metric;
    return {
      reason: 'FailedGetExternalMetric',
      cause: `failed to get ${name} external metric: unable to get external metric ${name}: ${fetch('external')}`,
      failure: `failed to get ${name} external metric value`,
    };
  }
  const name = (pods ?? object)?.metric.name ?? type;
  return {
    reason: pods === undefined ? 'FailedGetObjectMetric' : 'FailedGetPodsMetric',
    cause: `unable to get metric ${name}: ${fetch('custom')}`,
    failure: `failed to get ${pods === undefined ? 'object' : 'pods'} metric value`,
  };
}

/** Conditions after some say something; each keeps its place, and the time of its last transition with its status. */
export function withSaid<C extends Condition>(before: readonly C[], said: readonly Said[], now: number): C[] {
  const next = [...before];
  for (const { type, status, reason, message } of said) {
    const at = next.findIndex((condition) => condition.type === type);
    const since = next[at]?.status === status ? next[at].lastTransitionTime : timeText(now);
    const condition = { type, status, lastTransitionTime: since, reason, message } as unknown as C;
    if (at < 0) next.push(condition);
    else next[at] = condition;
  }
  return next;
}

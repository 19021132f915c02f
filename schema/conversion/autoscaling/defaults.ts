import { cloneJson } from '#base/json/clone-json.ts';
import type { HorizontalPodAutoscaler, HPAScalingRules, MetricSpec } from '../../generated/autoscaling.v2.ts';
import type { ApiObject } from '../../objects/api-object.ts';

/** The target of an autoscaler without a metric, in percent of the requested CPU. */
export const DEFAULT_CPU_UTILIZATION = 80;

/** A metric for the use of CPU, in percent of what pods request. */
export function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

const SCALE_UP: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const SCALE_DOWN: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

/**
 * Fills in the missing fields of an autoscaler in the versions with metrics. A behavior is only completed and never
 * added.
 */
export function defaults(object: ApiObject): void {
  const { spec } = object as HorizontalPodAutoscaler;
  if (spec === undefined) return;
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuMetric(DEFAULT_CPU_UTILIZATION)];
  if (spec.behavior === undefined) return;
  spec.behavior.scaleUp = { ...cloneJson(SCALE_UP), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = { ...cloneJson(SCALE_DOWN), ...spec.behavior.scaleDown };
}

import type { Naming } from '#base/naming/naming.ts';
import type * as V1 from '../../generated/autoscaling.v1.ts';
import type * as V2 from '../../generated/autoscaling.v2.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import {
  dropAnnotations,
  readBehavior,
  readConditions,
  readCurrentMetrics,
  readMetrics,
  writeAnnotations,
} from './annotations.ts';
import { currentFromV1, currentToV1, metricFromV1, metricToV1 } from './convert-metric.ts';
import { cpuMetric, DEFAULT_CPU_UTILIZATION } from './defaults.ts';

/** The CPU target, for which v1 has a field; undefined for any other metric. */
function cpuTarget({ type, resource }: V2.MetricSpec): number | undefined {
  return type === 'Resource' && resource?.name === 'cpu' ? resource.target.averageUtilization : undefined;
}

function currentCpu({ type, resource }: V2.MetricStatus): number | undefined {
  return type === 'Resource' && resource?.name === 'cpu' ? resource.current.averageUtilization : undefined;
}

/**
 * The metrics after a conversion to v1 and back. v1 has one field for a CPU target, so this target comes last. The
 * other metrics do not change.
 */
export function metricsThroughV1(metrics: readonly V2.MetricSpec[]): V2.MetricSpec[] {
  const others = metrics.filter((metric) => cpuTarget(metric) === undefined);
  const cpu = metrics.map(cpuTarget).find((target) => target !== undefined);
  return [...others.map((metric) => metricFromV1(metricToV1(metric))), ...(cpu === undefined ? [] : [cpuMetric(cpu)])];
}

/** The current metrics after a conversion to v1 and back. */
export function currentThroughV1(metrics: readonly V2.MetricStatus[] | null | undefined): V2.MetricStatus[] | null {
  return metrics == null ? null : metrics.map((metric) => currentFromV1(currentToV1(metric)));
}

/**
 * Sets the defaults of a v1 autoscaler. Removes malformed annotations, because no answer shows them. So no manager
 * becomes their owner.
 */
export function defaultV1(object: ApiObject, context: { naming: Naming }): void {
  const { spec } = object as V1.HorizontalPodAutoscaler;
  if (spec === undefined) return;
  spec.minReplicas ??= 1;
  Object.assign(object, toV1(fromV1(object, context), context));
}

/** Converts a v1 autoscaler to v2. Annotations become fields. Malformed annotations are dropped. */
export function fromV1(object: ApiObject, { naming }: { naming: Naming }): ApiObject {
  const { metadata, spec: oldSpec, status: oldStatus, ...rest } = object as V1.HorizontalPodAutoscaler;
  const { targetCPUUtilizationPercentage: target, ...spec } = oldSpec ?? {
    scaleTargetRef: { kind: '', name: '' },
    maxReplicas: 0,
  };
  const { currentCPUUtilizationPercentage: current, ...status } = oldStatus ?? {
    currentReplicas: 0,
    desiredReplicas: 0,
  };
  const behavior = readBehavior(metadata, naming);
  const conditions = readConditions(metadata, naming);
  const metrics = (readMetrics(metadata, naming) ?? []).map(metricFromV1);
  if (target !== undefined) metrics.push(cpuMetric(target));
  if (metrics.length === 0) metrics.push(cpuMetric(DEFAULT_CPU_UTILIZATION));
  const cpuStatus: V2.MetricStatus[] | null =
    current === undefined
      ? null
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }];
  const converted: V2.HorizontalPodAutoscaler = {
    ...rest,
    metadata: { ...metadata, annotations: { ...metadata.annotations } },
    spec: {
      ...spec,
      metrics,
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: {
      ...status,
      currentMetrics: readCurrentMetrics(metadata, naming)?.map(currentFromV1) ?? cpuStatus,
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
  dropAnnotations(converted.metadata, naming);
  return converted;
}

/**
 * Converts a v2 autoscaler to v1. The first CPU target has a separate field. Parts without a field in v1 become
 * annotations.
 */
export function toV1(object: ApiObject, { naming }: { naming: Naming }): ApiObject {
  const { metadata, spec, status, ...rest } = object as V2.HorizontalPodAutoscaler;
  const metrics = spec?.metrics ?? [];
  const target = metrics.map(cpuTarget).find((value) => value !== undefined);
  const current = (status?.currentMetrics ?? []).map(currentCpu).find((value) => value !== undefined);
  const converted: V1.HorizontalPodAutoscaler = {
    ...rest,
    metadata: { ...metadata, annotations: { ...metadata.annotations } },
    spec: {
      scaleTargetRef: spec?.scaleTargetRef ?? { kind: '', name: '' },
      ...(spec?.minReplicas === undefined ? {} : { minReplicas: spec.minReplicas }),
      maxReplicas: spec?.maxReplicas ?? 0,
      ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }),
    },
    status: {
      ...(status?.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
      ...(status?.lastScaleTime === undefined ? {} : { lastScaleTime: status.lastScaleTime }),
      currentReplicas: status?.currentReplicas ?? 0,
      desiredReplicas: status?.desiredReplicas ?? 0,
      ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
    },
  };
  dropAnnotations(converted.metadata, naming);
  writeAnnotations(
    converted.metadata,
    {
      metrics: metrics.filter((metric) => cpuTarget(metric) === undefined).map(metricToV1),
      behavior: spec?.behavior,
      currentMetrics: (status?.currentMetrics ?? []).map(currentToV1),
      conditions: status?.conditions ?? [],
    },
    naming,
  );
  return converted;
}

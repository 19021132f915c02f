import { type FieldError, FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import { dropAnnotations } from '#schema/conversion/autoscaling/annotations.ts';
import { currentThroughV1, metricsThroughV1 } from '#schema/conversion/autoscaling/convert-v1.ts';
import { horizontalPodAutoscalerVersions } from '#schema/conversion/autoscaling/horizontal-pod-autoscaler.ts';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '#schema/generated/autoscaling.v2.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateScaleTarget } from '#schema/validation/reference.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { validateCounts } from '../apps/workload-status.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { targetsText } from './targets-text.ts';
import { validateBehavior } from './validate-behavior.ts';
import { validateMetric } from './validate-metric.ts';

const SPEC = new FieldPath('spec');
const CONTAINER_METRICS = 'HPAContainerMetrics';
const SCALE_TO_ZERO = 'HPAScaleToZero';

/** Drops metrics of single containers while they are off, unless the stored autoscaler has some. */
function dropContainerMetrics(
  { spec }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { gates }: WriteContext,
): void {
  if (gates.enabled(CONTAINER_METRICS)) return;
  if (old?.spec?.metrics?.some(({ containerResource }) => containerResource !== undefined)) return;
  for (const metric of spec?.metrics ?? []) delete metric.containerResource;
}

function validateReplicas({ minReplicas, maxReplicas }: HorizontalPodAutoscalerSpec, least: number): FieldError[] {
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < least) {
    const detail = `must be greater than or equal to ${least}`;
    errors.push(invalidValue(SPEC.child('minReplicas'), minReplicas, detail));
  }
  const path = SPEC.child('maxReplicas');
  if (maxReplicas < 1) errors.push(invalidValue(path, maxReplicas, 'must be greater than 0'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalidValue(path, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

/** No pod tells how much it is used while there is none. */
function validateScalesToZero({ minReplicas, metrics = [] }: HorizontalPodAutoscalerSpec): FieldError[] {
  if (minReplicas !== 0 || metrics.some(({ type }) => type === 'Object' || type === 'External')) return [];
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField(SPEC.child('metrics'), detail)];
}

function validate(
  object: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { gates }: WriteContext,
): FieldError[] {
  const spec = object.spec ?? { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 };
  const least = gates.enabled(SCALE_TO_ZERO) || old?.spec?.minReplicas === 0 ? 0 : 1;
  const containers = gates.enabled(CONTAINER_METRICS);
  return [
    ...validateReplicas(spec, least),
    ...validateScaleTarget(spec.scaleTargetRef, SPEC.child('scaleTargetRef')),
    ...(spec.metrics ?? []).flatMap((metric, i) => validateMetric(metric, containers, SPEC.child('metrics').index(i))),
    ...validateScalesToZero(spec),
    ...validateBehavior(spec.behavior, SPEC.child('behavior')),
  ];
}

/** An autoscaler sets the replicas of a workload by what metrics say. Clients of three versions see it. */
export const horizontalPodAutoscaler = defineKind('autoscaling/horizontalpodautoscalers', {
  versions: horizontalPodAutoscalerVersions,
  prepareForCreate(object, context) {
    dropAnnotations(object.metadata, context.naming);
    dropContainerMetrics(object, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    dropAnnotations(object.metadata, context.naming);
    dropContainerMetrics(object, old, context);
  },
  validate: (object, context) => validate(object, undefined, context),
  validateUpdate: validate,
  // every version has to show the same autoscaler, so what v1 cannot say is not kept
  canonicalize({ spec, status }) {
    if (spec !== undefined) spec.metrics = metricsThroughV1(spec.metrics ?? []);
    if (status !== undefined) status.currentMetrics = currentThroughV1(status.currentMetrics);
  },
  subresources: {
    status: {
      prepareForUpdate(object, old, { naming }) {
        dropAnnotations(object.metadata, naming);
        keepSpec(object, old);
      },
      validateUpdate: ({ status }) => validateCounts(status, ['currentReplicas', 'desiredReplicas']),
    },
  },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    `${spec?.scaleTargetRef.kind ?? ''}/${spec?.scaleTargetRef.name ?? ''}`,
    targetsText(spec?.metrics, status?.currentMetrics),
    spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    age(metadata.creationTimestamp, now),
  ],
});

import { append } from '#base/collections/append.ts';
import {
  declared,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  required,
} from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { dropAnnotations } from '#schema/conversion/autoscaling/annotations.ts';
import { currentThroughV1, metricsThroughV1 } from '#schema/conversion/autoscaling/convert-v1.ts';
import { horizontalPodAutoscalerVersions } from '#schema/conversion/autoscaling/horizontal-pod-autoscaler.ts';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
} from '#schema/generated/autoscaling.v2.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateScaleTarget } from '#schema/validation/reference.ts';
import { resourceNames } from '#schema/validation/resource-names.ts';
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

/** Drops metrics of single containers while their gate is off, unless the stored autoscaler has some. */
function dropContainerMetrics(
  { spec }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { gates }: WriteContext,
): void {
  if (gates.enabled(CONTAINER_METRICS)) return;
  if (old?.spec?.metrics?.some(({ containerResource }) => containerResource !== undefined)) return;
  for (const metric of spec?.metrics ?? []) delete metric.containerResource;
}

function validateReplicas(
  { minReplicas, maxReplicas }: HorizontalPodAutoscalerSpec,
  least: number,
  release: Release,
): FieldError[] {
  const errors: FieldError[] = [];
  const since37 = release.atLeast(37);
  const bound = since37 ? declared : (found: FieldError[]) => found;
  if (minReplicas !== undefined && minReplicas < least) {
    const detail = `must be greater than or equal to ${least}`;
    append(errors, bound([invalidValue(SPEC.child('minReplicas'), minReplicas, detail)]));
  }
  const path = SPEC.child('maxReplicas');
  if (since37 && maxReplicas === 0) append(errors, bound([required(path)]));
  else if (maxReplicas < 1) {
    const detail = since37 ? 'must be greater than or equal to 1' : 'must be greater than 0';
    append(errors, bound([invalidValue(path, maxReplicas, detail)]));
  }
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalidValue(path, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

/** Validates the metrics of an autoscaler that may scale to zero. Without pods, their usage cannot be measured. */
function validateScalesToZero({ minReplicas, metrics = [] }: HorizontalPodAutoscalerSpec): FieldError[] {
  if (minReplicas !== 0 || metrics.some(({ type }) => type === 'Object' || type === 'External')) return [];
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField(SPEC.child('metrics'), detail)];
}

/** The error of a reference's apiVersion: it has at most one slash. */
function versionProblem({ apiVersion = '' }: CrossVersionObjectReference): string | undefined {
  return apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

function validateVersion(reference: CrossVersionObjectReference, path: FieldPath): FieldError[] {
  const problem = versionProblem(reference);
  return problem === undefined ? [] : [invalidValue(path.child('apiVersion'), reference.apiVersion ?? '', problem)];
}

/**
 * Validates the group of the target. Since 1.34 the target must name a group, except for the one scalable kind of the
 * core group. A target that the object already had stays valid.
 */
function validateTargetVersion(
  reference: CrossVersionObjectReference,
  old: CrossVersionObjectReference | undefined,
): FieldError[] {
  const { apiVersion = '', kind } = reference;
  if (old !== undefined && (old.apiVersion ?? '') === apiVersion && old.kind === kind) return [];
  const path = SPEC.child('scaleTargetRef');
  const errors = validateVersion(reference, path);
  const isGrouped = apiVersion.indexOf('/') > 0;
  if (errors.length > 0 || isGrouped || kind === 'ReplicationController') return errors;
  return [invalidValue(path.child('apiVersion'), apiVersion, 'apiVersion must specify API group')];
}

function validate(
  object: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { gates, naming, release }: WriteContext,
): FieldError[] {
  const spec = object.spec ?? { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 };
  const least = gates.enabled(SCALE_TO_ZERO) || old?.spec?.minReplicas === 0 ? 0 : 1;
  const containers = gates.enabled(CONTAINER_METRICS);
  const names = resourceNames(naming);
  const checksVersions = release.atLeast(34);
  const described = (old?.spec?.metrics ?? []).flatMap(({ object: source }) => source?.describedObject ?? []);
  const checksObjects = checksVersions && !described.some((reference) => versionProblem(reference) !== undefined);
  return [
    ...validateReplicas(spec, least, release),
    ...validateScaleTarget(spec.scaleTargetRef, SPEC.child('scaleTargetRef')),
    ...(checksVersions ? validateTargetVersion(spec.scaleTargetRef, old?.spec?.scaleTargetRef) : []),
    ...(spec.metrics ?? []).flatMap((metric, i) => {
      const path = SPEC.child('metrics').index(i);
      const errors = validateMetric(metric, containers, path, names);
      const described = metric.object?.describedObject;
      if (!checksObjects || described === undefined) return errors;
      return [...errors, ...validateVersion(described, path.child('object', 'describedObject'))];
    }),
    ...validateScalesToZero(spec),
    ...validateBehavior(spec.behavior, SPEC.child('behavior')),
  ];
}

/**
 * The kind of autoscalers. Each sets the replicas of a workload according to metrics. Clients see it in three versions.
 */
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
  // Before release 1.27 autoscalers are stored as v1, so fields that v1 does not have are lost.
  canonicalize({ spec, status }, { release }) {
    if (release.atLeast(27)) return;
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
  cells: ({ metadata, spec, status }, { now, release }) => [
    metadata.name ?? '',
    `${spec?.scaleTargetRef.kind ?? ''}/${spec?.scaleTargetRef.name ?? ''}`,
    targetsText(spec?.metrics, status?.currentMetrics, release),
    spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    age(metadata.creationTimestamp, now),
  ],
});

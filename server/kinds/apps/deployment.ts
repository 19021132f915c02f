import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { FieldSet } from '#schema/apply/field-set.ts';
import { deploymentVersions } from '#schema/conversion/apps/deployment.ts';
import type { Deployment, DeploymentSpec, DeploymentStrategy } from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import { labelSelectorText } from '#schema/validation/label-selector.ts';
import { validateNonnegative } from '#schema/validation/numbers.ts';
import { invalidAmount, isNone, validateAtMostAll, validateCountOrPercent } from '#schema/validation/percent.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { preparesTemplate } from '../core/pod-spec/template.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateReplicatedTemplate } from './replicated-template.ts';
import { isUsable, validateSelectorKept, validateWorkloadSelector } from './workload-selector.ts';
import { validateAtMost, validateCollisions, validateCounts } from './workload-status.ts';
import { containerCells, nameWarnings, workloadWarnings } from './workload-template.ts';

const SPEC = new FieldPath('spec');
const TEMPLATE = SPEC.child('template');
const STRATEGIES = ['Recreate', 'RollingUpdate'];

/** The annotation with the revision of a rollback. Older versions have a field for it. */
const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

function validateStrategy(strategy: DeploymentStrategy, path: FieldPath): FieldError[] {
  const at = path.child('rollingUpdate');
  const rolling = strategy.rollingUpdate;
  if (strategy.type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [forbiddenField(at, detail)];
  }
  if (strategy.type !== 'RollingUpdate') return [notSupported(path, strategy, STRATEGIES)];
  if (rolling === undefined) return [required(at, 'this should be defaulted and never be nil')];
  const { maxUnavailable, maxSurge } = rolling;
  return [
    ...validateCountOrPercent(maxUnavailable, at.child('maxUnavailable')),
    ...validateCountOrPercent(maxSurge, at.child('maxSurge')),
    ...(isNone(maxUnavailable) && isNone(maxSurge)
      ? [invalidAmount(maxUnavailable ?? 0, at.child('maxUnavailable'), 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...validateAtMostAll(maxUnavailable, at.child('maxUnavailable')),
  ];
}

function validateDeadline({ progressDeadlineSeconds, minReadySeconds = 0 }: DeploymentSpec): FieldError[] {
  if (progressDeadlineSeconds === undefined) return [];
  const path = SPEC.child('progressDeadlineSeconds');
  const errors = validateNonnegative(progressDeadlineSeconds, path);
  if (progressDeadlineSeconds <= minReadySeconds) {
    errors.push(invalidValue(path, progressDeadlineSeconds, 'must be greater than minReadySeconds'));
  }
  return errors;
}

function validateSpec(spec: DeploymentSpec, old: PodTemplateSpec | undefined, context: WriteContext): FieldError[] {
  return [
    ...validateBound(spec.replicas, bounds['apps.v1.DeploymentSpec'].replicas, SPEC.child('replicas')),
    ...validateWorkloadSelector(spec.selector, 'deployment', SPEC.child('selector')),
    ...validateReplicatedTemplate(spec, SPEC, context, old),
    ...validateStrategy(spec.strategy ?? {}, SPEC.child('strategy')),
    ...validateBound(
      spec.minReadySeconds,
      bounds['apps.v1.DeploymentSpec'].minReadySeconds,
      SPEC.child('minReadySeconds'),
    ),
    ...validateBound(
      spec.revisionHistoryLimit,
      bounds['apps.v1.DeploymentSpec'].revisionHistoryLimit,
      SPEC.child('revisionHistoryLimit'),
    ),
    ...validateDeadline(spec),
  ];
}

function specOf(object: Deployment): DeploymentSpec {
  return object.spec ?? { selector: null, template: {} };
}

/**
 * The kind of deployments. Each keeps a number of equal pods running and replaces them step by step when their template
 * changes.
 */
export const deployment = defineKind('apps/deployments', {
  versions: deploymentVersions,
  fieldAnnotations: [ROLLBACK_TO],
  ...preparesTemplate,
  validate: (object, context) => validateSpec(specOf(object), undefined, context),
  validateUpdate: (object, old, context) => [
    ...validateSpec(specOf(object), old.spec?.template, context),
    ...validateSelectorKept(object.spec?.selector, old.spec?.selector, SPEC.child('selector')),
  ],
  warnings: (object, old, context) => [
    ...nameWarnings(object, old, context),
    ...workloadWarnings(object, old, ({ spec }) => spec?.template, TEMPLATE, context),
  ],
  statusResets: FieldSet.ofMembers(['spec'], ['metadata', 'labels']),
  subresources: {
    status: {
      prepareForUpdate(object, old) {
        keepSpec(object, old);
        if (old.metadata.labels === undefined) delete object.metadata.labels;
        else object.metadata.labels = { ...old.metadata.labels };
      },
      validateUpdate: ({ status }, old) => [
        ...validateCounts(status, [
          'observedGeneration',
          'replicas',
          'updatedReplicas',
          'readyReplicas',
          'availableReplicas',
          'unavailableReplicas',
          'terminatingReplicas',
          'collisionCount',
        ]),
        ...validateAtMost(
          status,
          ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
          'replicas',
          'status.replicas',
        ),
        ...validateAtMost(status, ['availableReplicas'], 'readyReplicas', 'readyReplicas'),
        ...validateCollisions(status, old.status),
      ],
    },
  },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    isUsable(spec?.selector, SPEC) ? labelSelectorText(spec?.selector) : '<invalid>',
  ],
});

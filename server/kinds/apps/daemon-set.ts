import { type FieldError, FieldPath, notSupported, required } from '#base/errors/field-error.ts';
import { daemonSetVersions } from '#schema/conversion/apps/daemon-set.ts';
import {
  setTemplateGeneration,
  TEMPLATE_GENERATION,
  templateGeneration,
} from '#schema/conversion/apps/template-generation.ts';
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { labelSelectorText, validateLabelSelector } from '#schema/validation/label-selector.ts';
import { invalidAmount, isNone, validateAtMostAll, validateCountOrPercent } from '#schema/validation/percent.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { preparePodTemplate, validatePodTemplate } from '../core/pod-spec/template.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateTwiceOnUpdate } from './update-errors.ts';
import { isUsable, selectorCell, validateNotEmpty, validateSelects } from './workload-selector.ts';
import { validateCollisions, validateCounts } from './workload-status.ts';
import { containerCells, validateRunsForever, validateSharedDisks, workloadWarnings } from './workload-template.ts';

const SPEC = new FieldPath('spec');
const TEMPLATE = SPEC.child('template');
const STRATEGIES = ['RollingUpdate', 'OnDelete'];

function validateRolling({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, path: FieldPath): FieldError[] {
  const unavailable = path.child('maxUnavailable');
  const surge = path.child('maxSurge');
  const errors = [
    ...validateCountOrPercent(maxUnavailable, unavailable),
    ...validateCountOrPercent(maxSurge, surge),
    ...validateAtMostAll(maxUnavailable, unavailable),
    ...validateAtMostAll(maxSurge, surge),
  ];
  if (isNone(maxUnavailable) && isNone(maxSurge)) {
    errors.push(required(unavailable, 'cannot be 0 when maxSurge is 0'));
  } else if (!isNone(maxUnavailable) && !isNone(maxSurge)) {
    errors.push(invalidAmount(maxSurge ?? 0, surge, 'may not be set when maxUnavailable is non-zero'));
  }
  return errors;
}

function validateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath): FieldError[] {
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type !== 'RollingUpdate') return [notSupported(path, strategy, STRATEGIES)];
  if (strategy.rollingUpdate === undefined) return [required(path.child('rollingUpdate'))];
  return validateRolling(strategy.rollingUpdate, path.child('rollingUpdate'));
}

function validateSpec(object: DaemonSet, old: PodTemplateSpec | undefined, context: WriteContext): FieldError[] {
  const spec: DaemonSetSpec = object.spec ?? { selector: null, template: {} };
  const { selector, template } = spec;
  const at = SPEC.child('selector');
  return [
    ...validateLabelSelector(selector, at),
    ...(isUsable(selector, at) ? validateSelects(selector, template.metadata?.labels, TEMPLATE) : []),
    ...(selector === null ? [] : validateNotEmpty(selector, 'daemonset', at)),
    ...validatePodTemplate(template, TEMPLATE, context, old),
    ...validateSharedDisks(template.spec?.volumes, TEMPLATE.child('spec', 'volumes')),
    ...validateRunsForever(template, 'DaemonSet', TEMPLATE),
    ...validateBound(
      spec.minReadySeconds,
      bounds['apps.v1.DaemonSetSpec'].minReadySeconds,
      SPEC.child('minReadySeconds'),
    ),
    ...validateStrategy(spec.updateStrategy ?? {}, SPEC.child('updateStrategy')),
    ...validateBound(
      spec.revisionHistoryLimit,
      bounds['apps.v1.DaemonSetSpec'].revisionHistoryLimit,
      SPEC.child('revisionHistoryLimit'),
    ),
  ];
}

function nodeSelectorText(template: PodTemplateSpec | undefined): string {
  return labelSelectorText({ matchLabels: template?.spec?.nodeSelector ?? {} }) || '<none>';
}

/** The kind of daemon sets. Each keeps one pod running on every node that its template allows. */
export const daemonSet = defineKind('apps/daemonsets', {
  versions: daemonSetVersions,
  fieldAnnotations: [TEMPLATE_GENERATION],
  prepareForCreate(object, context) {
    setTemplateGeneration(object, Math.max(1, templateGeneration(object)));
    preparePodTemplate(object.spec?.template, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    preparePodTemplate(object.spec?.template, old.spec?.template, context);
    const changed = !semanticallyEqual(object.spec?.template, old.spec?.template);
    setTemplateGeneration(object, templateGeneration(old) + (changed ? 1 : 0));
  },
  validate: (object, context) => validateSpec(object, undefined, context),
  validateUpdate: validateTwiceOnUpdate(validateSpec),
  warnings: (object, old, context) => workloadWarnings(object, old, ({ spec }) => spec?.template, TEMPLATE, context),
  subresources: {
    status: {
      prepareForUpdate(object, old) {
        keepSpec(object, old);
        setTemplateGeneration(object, templateGeneration(old));
      },
      validateUpdate: ({ status }, old) => [
        ...validateCounts(status, [
          'currentNumberScheduled',
          'numberMisscheduled',
          'desiredNumberScheduled',
          'numberReady',
          'observedGeneration',
          'updatedNumberScheduled',
          'numberAvailable',
          'numberUnavailable',
          'collisionCount',
        ]),
        ...validateCollisions(status, old.status),
      ],
    },
  },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    nodeSelectorText(spec?.template),
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    selectorCell(spec?.selector),
  ],
});

import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import { replicaSetVersions } from '#schema/conversion/apps/replica-set.ts';
import type { ReplicaSet, ReplicaSetSpec } from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { preparesTemplate } from '../core/pod-spec/template.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateReplicatedTemplate } from './replicated-template.ts';
import { validateTwiceOnUpdate } from './update-errors.ts';
import { selectorCell, validateWorkloadSelector } from './workload-selector.ts';
import { validateReplicaStatus } from './workload-status.ts';
import { containerCells, nameWarnings, workloadWarnings } from './workload-template.ts';

const SPEC = new FieldPath('spec');
const TEMPLATE = SPEC.child('template');

function validateSpec(object: ReplicaSet, old: PodTemplateSpec | undefined, context: WriteContext): FieldError[] {
  const spec: ReplicaSetSpec = object.spec ?? { selector: null };
  return [
    ...validateBound(spec.replicas, bounds['apps.v1.ReplicaSetSpec'].replicas, SPEC.child('replicas')),
    ...validateBound(
      spec.minReadySeconds,
      bounds['apps.v1.ReplicaSetSpec'].minReadySeconds,
      SPEC.child('minReadySeconds'),
    ),
    // Clients know the message about a replica set with the word of the deployment.
    ...validateWorkloadSelector(spec.selector, 'deployment', SPEC.child('selector')),
    ...validateReplicatedTemplate(spec, SPEC, context, old),
  ];
}

/**
 * The kind of replica sets. Each keeps a number of equal pods running. A deployment makes one for each version of its
 * template.
 */
export const replicaSet = defineKind('apps/replicasets', {
  versions: replicaSetVersions,
  ...preparesTemplate,
  validate: (object, context) => validateSpec(object, undefined, context),
  validateUpdate: validateTwiceOnUpdate(validateSpec),
  warnings: (object, old, context) => [
    ...nameWarnings(object, old, context),
    ...workloadWarnings(object, old, ({ spec }) => spec?.template, TEMPLATE, context),
  ],
  subresources: {
    status: {
      prepareForUpdate: keepSpec,
      validateUpdate: ({ status }) => validateReplicaStatus(status),
    },
  },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    selectorCell(spec?.selector),
  ],
});

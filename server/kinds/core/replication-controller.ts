import { type FieldError, FieldPath, required } from '#base/errors/field-error.ts';
import { replicationControllerVersions } from '#schema/conversion/core/replication-controller.ts';
import type { PodTemplateSpec, ReplicationController, ReplicationControllerSpec } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateKindMetadata, validateKindMetadataUpdate } from '#schema/validation/kind-metadata.ts';
import { labelSelectorText } from '#schema/validation/label-selector.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { validateSelects } from '../apps/workload-selector.ts';
import { validateReplicaStatus } from '../apps/workload-status.ts';
import {
  containerCells,
  nameWarnings,
  validateRunsForever,
  validateSharedDisks,
  workloadWarnings,
} from '../apps/workload-template.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { preparesTemplate, validatePodTemplate } from './pod-spec/template.ts';

const SPEC = new FieldPath('spec');
const TEMPLATE = SPEC.child('template');
const NEW_TEMPLATE = new FieldPath('template');

function isEmpty(labels: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(labels ?? {}).length === 0;
}

function validateTemplate(
  spec: ReplicationControllerSpec,
  old: PodTemplateSpec | undefined,
  context: WriteContext,
): FieldError[] {
  const { template, selector = {}, replicas = 0 } = spec;
  if (template === undefined) return [required(TEMPLATE)];
  return [
    ...(isEmpty(selector) ? [] : validateSelects({ matchLabels: selector }, template.metadata?.labels, TEMPLATE)),
    ...validatePodTemplate(template, TEMPLATE, context, old),
    ...(replicas > 1 ? validateSharedDisks(template.spec?.volumes, TEMPLATE.child('spec', 'volumes')) : []),
    ...validateRunsForever(template, 'ReplicationController', TEMPLATE),
  ];
}

function validateSpec(
  { spec = {} }: ReplicationController,
  old: PodTemplateSpec | undefined,
  context: WriteContext,
): FieldError[] {
  return [
    ...validateBound(
      spec.minReadySeconds,
      bounds['core.v1.ReplicationControllerSpec'].minReadySeconds,
      SPEC.child('minReadySeconds'),
    ),
    ...(isEmpty(spec.selector) ? [required(SPEC.child('selector'))] : []),
    ...validateBound(spec.replicas, bounds['core.v1.ReplicationControllerSpec'].replicas, SPEC.child('replicas')),
    ...validateTemplate(spec, old, context),
  ];
}

/**
 * The kind of replication controllers. Each keeps a number of equal pods running. It is the older form of replica sets.
 */
export const replicationController = defineKind('core/replicationcontrollers', {
  versions: replicationControllerVersions,
  ...preparesTemplate,
  validate: (object, context) => validateSpec(object, undefined, context),
  // Errors of the object itself are reported twice: before the errors of the change, and among them.
  ignoresMetadataChange: true,
  validateUpdate: (object, old, context) => [
    ...validateKindMetadata(object, { namespaced: true }, context.naming),
    ...validateSpec(object, old.spec?.template, context),
    ...validateKindMetadataUpdate(object, old, context.naming),
    ...validateSpec(object, old.spec?.template, context),
  ],
  // At a create, errors name the template without the path of its parent.
  warnings: (object, old, context) => [
    ...nameWarnings(object, old, context),
    ...workloadWarnings(
      object,
      old,
      ({ spec }) => spec?.template,
      old === undefined ? NEW_TEMPLATE : TEMPLATE,
      context,
    ),
  ],
  subresources: {
    status: {
      prepareForUpdate: keepSpec,
      validateUpdate: ({ status }) => validateReplicaStatus(status),
    },
  },
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    labelSelectorText({ matchLabels: spec?.selector ?? {} }) || '<none>',
  ],
});

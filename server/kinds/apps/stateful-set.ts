import { FieldPath } from '#base/errors/field-error.ts';
import { CLAIM_POLICY, MAX_UNAVAILABLE, statefulSetVersions } from '#schema/conversion/apps/stateful-set.ts';
import type { StatefulSetSpec } from '#schema/generated/apps.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { forbidChange } from '#schema/validation/immutable.ts';
import { validateKindMetadata, validateKindMetadataUpdate } from '#schema/validation/kind-metadata.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { preparePodTemplate } from '../core/pod-spec/template.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateStatefulSetSpec } from './stateful-set-spec.ts';
import { validateAtMost, validateCollisions, validateCounts } from './workload-status.ts';
import { containerCells, workloadWarnings } from './workload-template.ts';

const SPEC = new FieldPath('spec');
const TEMPLATE = SPEC.child('template');

/** The only fields of the spec that may change. */
const CHANGEABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
  'ordinals',
] as const;

/** Drops what belongs to gates that are off, unless the stored set has it already. */
function prepare(spec: StatefulSetSpec | undefined, old: StatefulSetSpec | undefined, context: WriteContext): void {
  if (spec === undefined) return;
  const { gates } = context;
  preparePodTemplate(spec.template, old?.template, context);
  if (!gates.enabled(CLAIM_POLICY) && old?.persistentVolumeClaimRetentionPolicy === undefined) {
    delete spec.persistentVolumeClaimRetentionPolicy;
  }
  if (!gates.enabled(MAX_UNAVAILABLE) && old?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) {
    delete spec.updateStrategy?.rollingUpdate?.maxUnavailable;
  }
}

/** The part of the spec that may never change. */
function fixedPart(spec: StatefulSetSpec | undefined): object {
  const fixed: Partial<StatefulSetSpec> = { ...spec };
  for (const field of CHANGEABLE) delete fixed[field];
  return fixed;
}

const FIXED =
  "updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** A stateful set keeps pods running, each with its own name and claims. */
export const statefulSet = defineKind('apps/statefulsets', {
  versions: statefulSetVersions,
  prepareForCreate(object, context) {
    prepare(object.spec, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    prepare(object.spec, old.spec, context);
  },
  validate: ({ spec }, context) => validateStatefulSetSpec(spec, SPEC, context),
  ignoresMetadataChange: true,
  validateUpdate: (object, old, context) => [
    ...validateKindMetadata(object, { namespaced: true }, context.naming),
    ...validateStatefulSetSpec(object.spec, SPEC, context, old.spec),
    ...validateKindMetadataUpdate(object, old, context.naming),
    ...forbidChange(fixedPart(object.spec), fixedPart(old.spec), SPEC, FIXED),
  ],
  warnings: (object, old, context) => workloadWarnings(object, old, ({ spec }) => spec?.template, TEMPLATE, context),
  subresources: {
    status: {
      prepareForUpdate: keepSpec,
      validateUpdate: ({ status }, old) => [
        ...validateCounts(status, [
          'replicas',
          'readyReplicas',
          'currentReplicas',
          'updatedReplicas',
          'availableReplicas',
          'observedGeneration',
          'collisionCount',
        ]),
        ...validateAtMost(
          status,
          ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
          'replicas',
          'status.replicas',
        ),
        ...validateAtMost(status, ['availableReplicas'], 'readyReplicas', 'status.readyReplicas'),
        ...validateCollisions(status, old.status),
      ],
    },
  },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
  ],
});

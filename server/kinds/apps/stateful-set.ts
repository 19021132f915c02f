import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { CLAIM_POLICY, MAX_UNAVAILABLE, statefulSetVersions } from '#schema/conversion/apps/stateful-set.ts';
import type { StatefulSet, StatefulSetSpec } from '#schema/generated/apps.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { forbidChange, validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata, validateKindMetadataUpdate } from '#schema/validation/kind-metadata.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { amountWarnings } from '../core/persistent-volume-claim/warnings.ts';
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

/** Drops fields of gates that are off, unless the stored set already has them. */
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

/** The fields that must not change, in the order of their errors. Since 1.37 each has a separate error. */
const FIXED_FIELDS = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy'] as const;

/** Validates which fields an update changes. Since 1.33 it may change how many old revisions are kept. */
function validateFixed(spec: Partial<StatefulSetSpec>, old: Partial<StatefulSetSpec>, release: Release): FieldError[] {
  if (release.atLeast(37))
    return FIXED_FIELDS.flatMap((field) => validateImmutable(spec[field], old[field], SPEC.child(field)));
  const changeable = release.atLeast(33) ? [...CHANGEABLE, 'revisionHistoryLimit' as const] : CHANGEABLE;
  const fixed = (all: Partial<StatefulSetSpec>): object => {
    const rest = { ...all };
    for (const field of changeable) delete rest[field];
    return rest;
  };
  const [ordinals, history] = [
    release.atLeast(26) ? "'ordinals', " : '',
    release.atLeast(33) ? "'revisionHistoryLimit', " : '',
  ];
  const detail = `updates to statefulset spec for fields other than 'replicas', ${ordinals}'template', 'updateStrategy', ${history}'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`;
  return forbidChange(fixed(spec), fixed(old), SPEC, detail);
}

/** Since 1.26, warnings about the claims of the set's pods. */
function claimWarnings({ spec }: StatefulSet, old: StatefulSet | undefined, { release }: WriteContext): string[] {
  return (spec?.volumeClaimTemplates ?? []).flatMap((claim, i) => {
    const path = SPEC.child('volumeClaimTemplates').index(i);
    return amountWarnings(claim.spec, old === undefined ? path : path.child('Spec'), release);
  });
}

function historyWarnings({ spec }: StatefulSet, { release }: WriteContext): string[] {
  if (!release.atLeast(33) || (spec?.revisionHistoryLimit ?? 0) >= 0) return [];
  return ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'];
}

/** The kind of stateful sets. Each keeps pods running that have separate names and claims. */
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
    ...validateFixed(object.spec ?? {}, old.spec ?? {}, context.release),
  ],
  warnings: (object, old, context) => [
    ...workloadWarnings(object, old, ({ spec }) => spec?.template, TEMPLATE, context),
    ...claimWarnings(object, old, context),
    ...historyWarnings(object, context),
  ],
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

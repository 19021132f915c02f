import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, forbiddenField } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { persistentVolumeVersions } from '#schema/conversion/core/persistent-volume.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '#schema/generated/core.v1.ts';
import { nodeSelectorWarnings } from '#schema/validation/deprecated-labels.ts';
import { age } from '#schema/validation/human-duration.ts';
import { semanticallyEqual, validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { accessModesText, storageClassOf, usesSinglePodMode } from './persistent-volume/access-modes.ts';
import { sourceTypes } from './persistent-volume/sources.ts';
import { validateVolumeSpec } from './persistent-volume/spec.ts';
import { OLD_STORAGE_CLASS } from './persistent-volume-claim/warnings.ts';

const SPEC = new FieldPath('spec');
const PHASE_TIMES = 'PersistentVolumeLastPhaseTransitionTime';

/** Sources that will be removed, with the warnings of 1.28 and later. */
const DEPRECATED_SOURCES = [
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

function recycleWarnings({ persistentVolumeReclaimPolicy: policy }: PersistentVolumeSpec, release: Release): string[] {
  if (policy !== 'Recycle' || !release.atLeast(30)) return [];
  const advice = 'Instead, the recommended approach is to use dynamic provisioning.';
  return [`${SPEC.child('persistentVolumeReclaimPolicy')}: The Recycle reclaim policy is deprecated. ${advice}`];
}

/** The annotations that were replaced by fields: since 1.28 the class, since 1.31 the options. */
function annotationWarnings(given: Readonly<Record<string, string>>, naming: Naming, release: Release): string[] {
  return ANNOTATIONS.filter(([, since]) => release.atLeast(since))
    .map(([short, , text]) => [naming.key(short), text] as const)
    .filter(([key]) => given[key] !== undefined)
    .map(([key, text]) => `metadata.annotations[${key}]: ${text}`);
}

const ANNOTATIONS: readonly (readonly [short: string, since: number, text: string])[] = [
  ['volume.beta/storage-class', 28, OLD_STORAGE_CLASS],
  ['volume.beta/mount-options', 31, 'deprecated since v1.31; use "mountOptions" attribute instead'],
];

function sourceWarnings(spec: PersistentVolumeSpec, release: Release): string[] {
  if (!release.atLeast(28)) return [];
  return DEPRECATED_SOURCES.filter(([source]) => spec[source] !== undefined).map(
    ([source, text]) => `${SPEC.child(source === 'storageos' ? 'storageOS' : source)}: ${text}`,
  );
}
/** Sources for which mount options have no effect. Such options come from an old annotation. */
const WITHOUT_MOUNT_OPTIONS = [
  'csi',
  'hostPath',
  'fc',
  'flexVolume',
  'flocker',
  'local',
  'portworxVolume',
  'scaleIO',
] as const;

function validateSpec(object: PersistentVolume, context: WriteContext, old?: PersistentVolume): FieldError[] {
  const { naming, gates } = context;
  const { spec = {}, metadata } = object;
  const allowSinglePod = gates.enabled('ReadWriteOncePod') || usesSinglePodMode(old?.spec?.accessModes);
  return validateVolumeSpec(spec, { naming, allowSinglePod, name: metadata.name ?? '' }, SPEC);
}

function validateMountOptions({ spec = {}, metadata }: PersistentVolume, { naming }: WriteContext): FieldError[] {
  const annotation = naming.key('volume.beta/mount-options');
  const mountsAsIs = WITHOUT_MOUNT_OPTIONS.some((type) => spec[type] !== undefined);
  if (metadata.annotations?.[annotation] === undefined || !mountsAsIs) return [];
  const path = new FieldPath('metadata').child('annotations', annotation);
  return [forbiddenField(path, 'may not specify mount options for this volume type')];
}

/** Drops the secret for expansion on nodes while its gate is off, unless the stored volume has it. */
function dropExpansionSecret({ spec }: PersistentVolume, old: PersistentVolume | undefined, { gates }: WriteContext) {
  if (gates.enabled('CSINodeExpandSecret') || old?.spec?.csi?.nodeExpandSecretRef !== undefined) return;
  delete spec?.csi?.nodeExpandSecretRef;
}

/** The volume source without a secret for expansion, if the old volume had none. So a secret may still be added. */
function sourceOf(spec: PersistentVolumeSpec | undefined, before: PersistentVolumeSpec | undefined): object {
  const source = Object.fromEntries(sourceTypes.map((type) => [type, spec?.[type]]));
  if (spec?.csi === undefined || before?.csi === undefined || before.csi.controllerExpandSecretRef !== undefined) {
    return source;
  }
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi;
  return { ...source, csi };
}

/** Records the time when the phase of a volume changes, unless the client gives a time. */
function markPhase(object: PersistentVolume, { status: old = {} }: PersistentVolume, now: string): void {
  const status = (object.status ??= {});
  const { lastPhaseTransitionTime: since } = old;
  const given = status.lastPhaseTransitionTime;
  if (status.phase !== old.phase) {
    if (given == null || given === since) status.lastPhaseTransitionTime = now;
  } else if (given == null && since != null) {
    status.lastPhaseTransitionTime = since;
  }
}

/** The kind of storage that an administrator or a provisioner offers to claims. */
export const persistentVolume = defineKind('core/persistentvolumes', {
  ignoresMetadataChange: true,
  versions: persistentVolumeVersions,
  prepareForCreate(object, context) {
    const since = context.gates.enabled(PHASE_TIMES) ? { lastPhaseTransitionTime: context.now } : {};
    object.status = { phase: 'Pending', ...since };
    dropExpansionSecret(object, undefined, context);
  },
  prepareForUpdate: dropExpansionSecret,
  validate: (object, context) => [...validateSpec(object, context), ...validateMountOptions(object, context)],
  warnings: ({ metadata, spec = {} }, _old, { naming, release }) => [
    ...annotationWarnings(metadata.annotations ?? {}, naming, release),
    ...recycleWarnings(spec, release),
    ...nodeSelectorWarnings(spec.nodeAffinity?.required, SPEC.child('nodeAffinity', 'required'), naming),
    ...sourceWarnings(spec, release),
  ],
  validateUpdate(object, old, context) {
    const whole = [
      ...validateKindMetadata(object, { namespaced: false }, context.naming),
      ...validateSpec(object, context, old),
    ];
    const errors = [...whole, ...validateMountOptions(object, context), ...whole];
    if (!semanticallyEqual(sourceOf(object.spec, old.spec), sourceOf(old.spec, old.spec))) {
      const detail = 'spec.persistentvolumesource is immutable after creation';
      errors.push(forbiddenField(SPEC.child('persistentvolumesource'), detail));
    }
    append(errors, validateImmutable(object.spec?.volumeMode, old.spec?.volumeMode, new FieldPath('volumeMode')));
    if (old.spec?.nodeAffinity !== undefined) {
      const path = new FieldPath('nodeAffinity');
      append(errors, validateImmutable(object.spec?.nodeAffinity, old.spec.nodeAffinity, path));
    }
    if (old.spec?.volumeAttributesClassName !== undefined && object.spec?.volumeAttributesClassName === undefined) {
      const detail = 'update from non-nil value to nil is forbidden';
      errors.push(forbiddenField(SPEC.child('volumeAttributesClassName'), detail));
    }
    return errors;
  },
  subresources: {
    status: {
      prepareForUpdate(object, old, context) {
        keepSpec(object, old);
        if (context.gates.enabled(PHASE_TIMES)) markPhase(object, old, context.now);
      },
    },
  },
  cells({ metadata, spec, status }, { naming, now }) {
    const { claimRef } = spec ?? {};
    const deleted = (metadata.deletionTimestamp ?? null) !== null;
    return [
      metadata.name ?? '',
      spec?.capacity?.['storage'] ?? '0',
      accessModesText(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? '',
      deleted ? 'Terminating' : (status?.phase ?? ''),
      claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
      storageClassOf(metadata, spec, naming),
      spec?.volumeAttributesClassName ?? '<unset>',
      status?.reason ?? '',
      age(metadata.creationTimestamp, now),
      spec?.volumeMode ?? '<unset>',
    ];
  },
});

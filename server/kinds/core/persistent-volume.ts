import { type FieldError, FieldPath, forbiddenField } from '#base/errors/field-error.ts';
import { persistentVolumeVersions } from '#schema/conversion/core/persistent-volume.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '#schema/generated/core.v1.ts';
import { nodeSelectorWarnings } from '#schema/validation/deprecated-labels.ts';
import { age } from '#schema/validation/human-duration.ts';
import { semanticallyEqual, validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { accessModesText, storageClassOf, usesSinglePodMode } from './persistent-volume/access-modes.ts';
import { sourceTypes } from './persistent-volume/sources.ts';
import { validateVolumeSpec } from './persistent-volume/spec.ts';

const SPEC = new FieldPath('spec');
/** Sources that mount options, which an old annotation gives, mean nothing to. */
const WITHOUT_MOUNT_OPTIONS = [
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
  const path = new FieldPath('metadata').child('annotations').key(annotation);
  return [forbiddenField(path, 'may not specify mount options for this volume type')];
}

/** Drops the secret for expanding on nodes while its gate is off, unless the stored volume has it. */
function dropExpansionSecret({ spec }: PersistentVolume, old: PersistentVolume | undefined, { gates }: WriteContext) {
  if (gates.enabled('CSINodeExpandSecret') || old?.spec?.csi?.nodeExpandSecretRef !== undefined) return;
  delete spec?.csi?.nodeExpandSecretRef;
}

/** The volume source alone; a secret for expanding may still be added to one that had none. */
function sourceOf(spec: PersistentVolumeSpec | undefined, before: PersistentVolumeSpec | undefined): object {
  const source = Object.fromEntries(sourceTypes.map((type) => [type, spec?.[type]]));
  if (spec?.csi === undefined || before?.csi === undefined || before.csi.controllerExpandSecretRef !== undefined) {
    return source;
  }
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi;
  return { ...source, csi };
}

/** Storage that an administrator or a provisioner offers to claims. */
export const persistentVolume = defineKind('core/persistentvolumes', {
  ignoresMetadataChange: true,
  versions: persistentVolumeVersions,
  prepareForCreate(object, context) {
    object.status = { phase: 'Pending' };
    dropExpansionSecret(object, undefined, context);
  },
  prepareForUpdate: dropExpansionSecret,
  validate: (object, context) => [...validateSpec(object, context), ...validateMountOptions(object, context)],
  warnings: ({ spec }, _old, { naming }) =>
    nodeSelectorWarnings(spec?.nodeAffinity?.required, SPEC.child('nodeAffinity', 'required'), naming),
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
    errors.push(...validateImmutable(object.spec?.volumeMode, old.spec?.volumeMode, new FieldPath('volumeMode')));
    if (old.spec?.nodeAffinity !== undefined) {
      const path = new FieldPath('nodeAffinity');
      errors.push(...validateImmutable(object.spec?.nodeAffinity, old.spec.nodeAffinity, path));
    }
    return errors;
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

import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Naming } from '#base/naming/naming.ts';
import { persistentVolumeClaimVersions } from '#schema/conversion/core/persistent-volume-claim.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '#schema/generated/core.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { IMMUTABLE, semanticallyEqual, validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '#schema/validation/names.ts';
import { validateRequired, validateText } from '#schema/validation/reference.ts';
import { resourceNames } from '#schema/validation/resource-names.ts';
import { validateBasicQuantity, validatePositiveQuantity } from '#schema/validation/resources.ts';
import { compareQuantities } from '#schema/values/quantity.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import {
  accessModesText,
  storageClassOf,
  usesSinglePodMode,
  validateAccessModes,
} from './persistent-volume/access-modes.ts';
import { VOLUME_MODES } from './persistent-volume/spec.ts';
import { amountWarnings, OLD_STORAGE_CLASS } from './persistent-volume-claim/warnings.ts';

const SPEC = new FieldPath('spec');

const OTHER_NAMESPACES = 'CrossNamespaceVolumeDataSource';

/** Whether older clients can name this source in their field. It must be a claim or a snapshot. */
function isOldStyleSource({ apiGroup, kind }: TypedLocalObjectReference, naming: Naming): boolean {
  if ((apiGroup ?? '') === '') return kind === 'PersistentVolumeClaim';
  return apiGroup === naming.group('snapshot.storage') && kind === 'VolumeSnapshot';
}

/**
 * Copies the source between the two fields that name it, even if a client that knows only the older field sends an
 * object back. If only the newer field may name a source, it is removed from the older field, unless the stored object
 * has it there.
 */
function alignDataSources(
  spec: PersistentVolumeClaimSpec,
  { naming, gates }: WriteContext,
  old?: PersistentVolumeClaimSpec,
): void {
  if (!gates.enabled('AnyVolumeDataSource')) {
    if (old?.dataSourceRef === undefined) delete spec.dataSourceRef;
    return;
  }
  const usedSources = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (namesNamespace(spec.dataSourceRef) && old?.dataSourceRef === undefined && !gates.enabled(OTHER_NAMESPACES)) {
    delete spec.dataSourceRef;
  }
  const { dataSource, dataSourceRef } = spec;
  if (
    !usedSources &&
    dataSourceRef === undefined &&
    dataSource !== undefined &&
    !isOldStyleSource(dataSource, naming)
  ) {
    delete spec.dataSource;
  } else if (dataSource !== undefined) {
    spec.dataSourceRef ??= cloneJson(dataSource);
  } else if (dataSourceRef !== undefined && !namesNamespace(dataSourceRef)) {
    spec.dataSource = cloneJson(dataSourceRef);
    delete (spec.dataSource as TypedObjectReference).namespace;
  }
}

function namesNamespace(source: TypedObjectReference | undefined): boolean {
  return (source?.namespace ?? '') !== '';
}

function validateDataSource(
  source: TypedObjectReference | undefined,
  rules: { readonly anyGroup: boolean },
  path: FieldPath,
): FieldError[] {
  if (source === undefined) return [];
  const errors = [
    ...validateRequired(source.name, path.child('name')),
    ...validateRequired(source.kind, path.child('kind')),
  ];
  const apiGroup = source.apiGroup ?? '';
  const namespace = source.namespace ?? '';
  if (apiGroup === '' && source.kind !== 'PersistentVolumeClaim') {
    errors.push(
      invalidValue(path, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
    );
  }
  if (apiGroup !== '' && !rules.anyGroup) {
    append(errors, validateText(apiGroup, dns1123Subdomain, path.child('apiGroup')));
  }
  if (namespace !== '') append(errors, validateText(namespace, dns1123Label, path.child('namespace')));
  return errors;
}

/**
 * Whether a claim may name an invalid API group: always before 1.29, and later only if the stored claim already has
 * one.
 */
function allowsAnyGroup({ release }: WriteContext, old: PersistentVolumeClaimSpec | undefined): boolean {
  if (!release.atLeast(29)) return true;
  return [old?.dataSource, old?.dataSourceRef].some((source) => {
    const group = source?.apiGroup ?? '';
    return group !== '' && dns1123Subdomain(group).length > 0;
  });
}

/** Validates the spec of a claim, or of a claim that is made from a template. */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  rules: { readonly allowSinglePod: boolean; readonly anyGroup?: boolean },
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const modes = path.child('accessModes');
  const whyRequired = 'at least 1 access mode is required';
  if ((spec.accessModes ?? []).length === 0) errors.push(required(modes, whyRequired));
  append(errors, validateLabelSelector(spec.selector, path.child('selector')));
  if ((spec.accessModes ?? []).length > 0) append(errors, validateAccessModes(spec.accessModes, rules, modes));
  const storage = spec.resources?.requests?.['storage'];
  const at = path.child('resources').key('storage');
  append(errors, storage === undefined ? [required(at)] : validatePositiveQuantity(storage, at));
  const { storageClassName: className = '', volumeMode: mode } = spec;
  if (className !== '') append(errors, validateText(className, dns1123Subdomain, path.child('storageClassName')));
  const { volumeAttributesClassName: attributes = '' } = spec;
  if (attributes !== '')
    append(errors, validateText(attributes, dns1123Subdomain, path.child('volumeAttributesClassName')));
  if (mode !== undefined && !VOLUME_MODES.includes(mode)) {
    errors.push(notSupported(path.child('volumeMode'), mode, VOLUME_MODES));
  }
  const groups = { anyGroup: rules.anyGroup ?? true };
  append(
    errors,
    validateDataSource(spec.dataSource, groups, path.child('dataSource')),
    validateDataSource(spec.dataSourceRef, groups, path.child('dataSourceRef')),
  );
  if (namesNamespace(spec.dataSourceRef)) {
    if (spec.dataSource !== undefined) {
      const detail = 'may not be specified when dataSourceRef.namespace is specified';
      errors.push(invalidValue(path, String(path.child('dataSource')), detail));
    }
  } else if (spec.dataSource !== undefined && spec.dataSourceRef !== undefined) {
    if (!semanticallyEqual(spec.dataSource, spec.dataSourceRef)) {
      errors.push(invalidValue(path, String(path.child('dataSource')), 'must match dataSourceRef'));
    }
  }
  return errors;
}

function validate(object: PersistentVolumeClaim, context: WriteContext, old?: PersistentVolumeClaim): FieldError[] {
  const allowSinglePod = context.gates.enabled('ReadWriteOncePod') || usesSinglePodMode(old?.spec?.accessModes);
  const anyGroup = allowsAnyGroup(context, old?.spec);
  return validateClaimSpec(object.spec ?? {}, { allowSinglePod, anyGroup }, SPEC);
}

/** Whether the class only moves from its old annotation to the field. */
function movesClass(object: PersistentVolumeClaim, old: PersistentVolumeClaim, annotation: string): boolean {
  const before = old.metadata.annotations?.[annotation];
  const after = object.metadata.annotations?.[annotation];
  const className = object.spec?.storageClassName;
  if (before === undefined || old.spec?.storageClassName !== undefined) return false;
  return className === before && (after === undefined || after === before);
}

/** The spec without the fields that may change at this time, for a comparison. */
function comparable(object: PersistentVolumeClaim, old: PersistentVolumeClaim, classMoves: boolean): object {
  const spec = cloneJson(object.spec ?? {});
  if ((old.spec?.volumeName ?? '') === '') delete spec.volumeName;
  if (classMoves) delete spec.storageClassName;
  if (object.status?.phase === 'Bound') {
    delete spec.resources?.requests?.['storage'];
    delete spec.volumeAttributesClassName;
  }
  return spec;
}

/**
 * Validates a change of the class of attributes. A volume that has the attributes of a class may get those of another
 * class, but it must keep a class.
 */
function validateAttributesChange({ spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const name = spec?.volumeAttributesClassName;
  const isKept = name === old.spec?.volumeAttributesClassName || (name !== undefined && name !== '');
  if (isKept || old.status?.currentVolumeAttributesClassName === undefined) return [];
  const what = name === undefined ? 'nil' : 'empty string';
  const detail = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbiddenField(SPEC.child('volumeAttributesClassName'), detail)];
}

const RESIZED = new FieldPath('status').child('allocatedResourceStatuses');
const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** Validates the state of a claim's growth. Its keys are storage, or names with the domain of a driver. */
function validateResize({ status }: PersistentVolumeClaim, { naming }: WriteContext): FieldError[] {
  const { isNative } = resourceNames(naming);
  return Object.entries(status?.allocatedResourceStatuses ?? {}).flatMap(([name, state]) => {
    const problems = qualifiedName(name);
    const unknown = problems.length === 0 && name !== 'storage' && isNative(name);
    return [
      ...problems.map((problem) => invalidValue(RESIZED, name, problem)),
      ...(unknown ? [notSupported(RESIZED, name, ['storage'])] : []),
      ...(RESIZE_STATES.includes(state) ? [] : [notSupported(RESIZED, name, RESIZE_STATES)]),
    ];
  });
}

/**
 * Validates a change of a claim's spec. It is fixed, except that it may be bound once, and may grow while it is bound.
 */
function validateUpdate(
  object: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  context: WriteContext,
): FieldError[] {
  const { naming, gates } = context;
  const whole = [...validateKindMetadata(object, { namespaced: true }, naming), ...validate(object, context, old)];
  // Errors of the claim itself are reported twice.
  const errors = [...whole, ...whole];
  const annotation = naming.key('volume.beta/storage-class');
  const classMoves = movesClass(object, old, annotation);
  if (!classMoves) {
    const path = new FieldPath('metadata').child('annotations', annotation);
    const [after, before] = [object, old].map(({ metadata }) => metadata.annotations?.[annotation] ?? '');
    if (after !== before) errors.push(invalidValue(path, after, IMMUTABLE));
  }
  const phase = object.status?.phase;
  const settled = { ...old, ...(phase === undefined ? {} : { status: { ...old.status, phase } }) };
  if (!semanticallyEqual(comparable(object, old, classMoves), comparable(settled, old, classMoves))) {
    const attributes = gates.enabled('VolumeAttributesClass') ? ' and volumeAttributesClassName' : '';
    const detail = `spec is immutable after creation except resources.requests${attributes} for bound claims`;
    errors.push(forbiddenField(SPEC, detail));
  }
  const size = object.spec?.resources?.requests?.['storage'] ?? '0';
  const path = SPEC.child('resources', 'requests', 'storage');
  if (compareQuantities(size, old.spec?.resources?.requests?.['storage'] ?? '0') < 0) {
    if (!gates.enabled('RecoverVolumeExpansionFailure')) {
      errors.push(forbiddenField(path, 'field can not be less than previous value'));
    } else if (compareQuantities(size, old.status?.capacity?.['storage'] ?? '0') <= 0) {
      errors.push(forbiddenField(path, 'field can not be less than status.capacity'));
    }
  }
  return [
    ...errors,
    ...validateImmutable(object.spec?.volumeMode, old.spec?.volumeMode, new FieldPath('volumeMode')),
    ...validateAttributesChange(object, old),
  ];
}

/** The kind of requests for storage. */
export const persistentVolumeClaim = defineKind('core/persistentvolumeclaims', {
  versions: persistentVolumeClaimVersions,
  prepareForCreate(object, context) {
    object.status = { phase: 'Pending' };
    alignDataSources((object.spec ??= {}), context);
  },
  prepareForUpdate(object, old, context) {
    alignDataSources((object.spec ??= {}), context, old.spec);
  },
  validate: (object, context) => validate(object, context),
  validateUpdate,
  warnings({ metadata, spec }, _old, { naming, release }) {
    const key = naming.key('volume.beta/storage-class');
    const isOld = release.atLeast(28) && metadata.annotations?.[key] !== undefined;
    return [
      ...(isOld ? [`metadata.annotations[${key}]: ${OLD_STORAGE_CLASS}`] : []),
      ...amountWarnings(spec, SPEC, release),
    ];
  },
  subresources: {
    status: {
      prepareForUpdate(object, old, { gates }) {
        if (old.spec === undefined) delete object.spec;
        else object.spec = cloneJson(old.spec);
        if (gates.enabled('RecoverVolumeExpansionFailure') || object.status === undefined) return;
        if (old.status?.allocatedResources === undefined) delete object.status.allocatedResources;
        if (old.status?.resizeStatus === undefined) delete object.status.resizeStatus;
      },
      validateUpdate(object, _old, context) {
        const path = new FieldPath('status').child('capacity');
        return [
          ...Object.entries(object.status?.capacity ?? {}).flatMap(([name, amount]) =>
            validateBasicQuantity(amount, path.key(name)),
          ),
          ...validateResize(object, context),
        ];
      },
    },
  },
  cells({ metadata, spec, status }, { naming, now }) {
    const bound = (spec?.volumeName ?? '') !== '';
    const deleted = (metadata.deletionTimestamp ?? null) !== null;
    return [
      metadata.name ?? '',
      deleted ? 'Terminating' : (status?.phase ?? ''),
      spec?.volumeName ?? '',
      bound ? (status?.capacity?.['storage'] ?? '0') : '',
      bound ? accessModesText(status?.accessModes) : '',
      storageClassOf(metadata, spec, naming),
      spec?.volumeAttributesClassName ?? '<unset>',
      age(metadata.creationTimestamp, now),
      spec?.volumeMode ?? '<unset>',
    ];
  },
});

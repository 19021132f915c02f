import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, forbiddenField, notSupported, required } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { PersistentVolumeSpec, VolumeNodeAffinity } from '#schema/generated/core.v1.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import { validateNodeSelector } from '#schema/validation/node-selector.ts';
import { validateText } from '#schema/validation/reference.ts';
import { validateBasicQuantity, validatePositiveQuantity } from '#schema/validation/resources.ts';
import { validateAccessModes } from './access-modes.ts';
import { validateSources } from './sources.ts';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
export const VOLUME_MODES = ['Block', 'Filesystem'];
const INLINE = 'may not be specified in the context of inline volumes';

export interface VolumeSpecRules {
  readonly naming: Pick<Naming, 'domains'>;
  readonly allowSinglePod: boolean;
  /** The name of the volume with this spec. */
  readonly name?: string;
  /** Whether the spec is inline in an attachment, for a volume without an object. Fewer fields are allowed then. */
  readonly inline?: boolean;
}

function validateNodeAffinity(affinity: VolumeNodeAffinity | undefined, path: FieldPath): FieldError[] {
  if (affinity === undefined) return [];
  const at = path.child('required');
  return affinity.required === undefined
    ? [required(at, 'must specify required node constraints')]
    : validateNodeSelector(affinity.required, at);
}

/** Validates the capacity of a volume. It must have storage and no other resource. */
function validateCapacity(capacity: Readonly<Record<string, string>>, path: FieldPath): FieldError[] {
  const names = Object.keys(capacity).sort();
  const errors = names.length === 0 ? [required(path)] : [];
  if (!Object.hasOwn(capacity, 'storage') || names.length > 1) {
    errors.push(notSupported(path, names.length === 0 ? null : capacity, ['storage']));
  }
  return [
    ...errors,
    ...names.flatMap((name) => [
      ...validateBasicQuantity(capacity[name]!, path.key(name)),
      ...validatePositiveQuantity(capacity[name]!, path.key(name)),
    ]),
  ];
}

function validateStandalone(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const { persistentVolumeReclaimPolicy: policy = '' } = spec;
  const errors = validateCapacity(spec.capacity ?? {}, path.child('capacity'));
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupported(path.child('persistentVolumeReclaimPolicy'), policy, RECLAIM_POLICIES));
  }
  return errors;
}

function validateInline(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.claimRef !== undefined) errors.push(forbiddenField(path.child('claimRef'), INLINE));
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(forbiddenField(path.child('capacity'), INLINE));
  if (spec.csi === undefined) {
    errors.push(required(path.child('csi'), 'has to be specified in the context of inline volumes'));
  }
  return errors;
}

/** The allowed fields of an inline volume besides its source. */
function validateInlineDetails(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.storageClassName ?? '') !== '') errors.push(forbiddenField(path.child('storageClassName'), INLINE));
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem') {
    const detail = 'may not specify volumeMode other than Filesystem in the context of inline volumes';
    errors.push(forbiddenField(path.child('volumeMode'), detail));
  }
  return errors;
}

function validateDetails(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const { storageClassName: className = '', volumeMode: mode } = spec;
  const errors = className === '' ? [] : validateText(className, dns1123Subdomain, path.child('storageClassName'));
  const { volumeAttributesClassName: attributes } = spec;
  if (attributes !== undefined) {
    const at = path.child('volumeAttributesClassName');
    if (attributes === '') errors.push(required(at, 'an empty string is disallowed'));
    else append(errors, validateText(attributes, dns1123Subdomain, at));
    if (spec.csi === undefined) {
      errors.push(required(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
    }
  }
  if (mode !== undefined && !VOLUME_MODES.includes(mode)) {
    errors.push(notSupported(path.child('volumeMode'), mode, VOLUME_MODES));
  }
  return errors;
}

function isRoot(path: string): boolean {
  return path.startsWith('/') && path.split('/').every((part) => part === '' || part === '.' || part === '..');
}

/** Validates the spec of a persistent volume, in its object or inline in an attachment. */
export function validateVolumeSpec(spec: PersistentVolumeSpec, rules: VolumeSpecRules, path: FieldPath): FieldError[] {
  const inline = rules.inline === true;
  const { persistentVolumeReclaimPolicy: policy = '' } = spec;
  const errors = inline ? validateInline(spec, path) : [];
  append(errors, validateAccessModes(spec.accessModes, rules, path.child('accessModes')));
  if (!inline) append(errors, validateStandalone(spec, path));
  else if (policy !== '' && policy !== 'Retain') {
    const detail = 'may only be Retain in the context of inline volumes';
    errors.push(forbiddenField(path.child('persistentVolumeReclaimPolicy'), detail));
  }
  const affinity = path.child('nodeAffinity');
  if (!inline) append(errors, validateNodeAffinity(spec.nodeAffinity, affinity));
  else if (spec.nodeAffinity !== undefined) errors.push(forbiddenField(affinity, INLINE));
  const context = { naming: rules.naming, name: rules.name ?? '' };
  append(errors, validateSources(spec, context, path, !inline && spec.nodeAffinity !== undefined));
  if (spec.hostPath !== undefined && isRoot(spec.hostPath.path) && policy === 'Recycle') {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    errors.push(forbiddenField(path.child('persistentVolumeReclaimPolicy'), detail));
  }
  return [...errors, ...(inline ? validateInlineDetails(spec, path) : validateDetails(spec, path))];
}

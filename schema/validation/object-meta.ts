import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, forbiddenField, invalidValue, required } from '#base/errors/field-error.ts';
import type { ObjectMeta } from '../objects/api-object.ts';
import { validateAnnotations } from './annotations.ts';
import { validateManagedFields } from './field-manager.ts';
import { validateFinalizerDomain, validateFinalizers, validateNoNewFinalizers } from './finalizers.ts';
import { validateImmutable } from './immutable.ts';
import { validateLabels } from './labels.ts';
import { labelName, type NameCheck } from './names.ts';
import { validateNonnegative } from './numbers.ts';
import { validateOwnerReferences } from './owner-references.ts';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly validateName: NameCheck;
  /** The path of the metadata; default `metadata`. */
  readonly path?: FieldPath;
  /** Finalizers that need no domain (`standardFinalizers(naming)`). If it is missing, no finalizer needs one. */
  readonly standardFinalizers?: readonly string[];
}

const METADATA = new FieldPath('metadata');

/**
 * Validates the parts of metadata whose rules always apply: names, namespace, labels, annotations, owners, finalizers.
 */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const path = rules.path ?? METADATA;
  return [
    ...validateObjectNames(meta, rules.validateName, path),
    ...validateNamespace(meta.namespace ?? '', rules.namespaced, path.child('namespace')),
    ...validateNonnegative(meta.generation, path.child('generation')),
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    ...validateFinalizers(meta.finalizers, path.child('finalizers')),
    ...validateManagedFields(meta.managedFields, path.child('managedFields')),
    ...validateFinalizerDomains(meta, rules, path),
  ];
}

/**
 * The part of {@link validateObjectMeta} that uses the rule for names.
 *
 * @example
 * validateObjectNames({ name: 'A_b' }, () => ['must be lower case']).map(({ text }) => text)
 * // => ['metadata.name: Invalid value: "A_b": must be lower case']
 */
export function validateObjectNames(meta: ObjectMeta, validateName: NameCheck, path = METADATA): FieldError[] {
  const { name = '', generateName = '' } = meta;
  const errors: FieldError[] = [];
  if (generateName !== '') {
    const problems = validateName(generateName, true);
    append(
      errors,
      problems.map((problem) => invalidValue(path.child('generateName'), generateName, problem)),
    );
  }
  if (name === '') {
    errors.push(required(path.child('name'), 'name or generateName is required'));
  } else {
    append(
      errors,
      validateName(name).map((problem) => invalidValue(path.child('name'), name, problem)),
    );
  }
  return errors;
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbiddenField(path, 'not allowed on this type')];
  if (namespace === '') return [required(path)];
  return labelName(namespace).map((problem) => invalidValue(path, namespace, problem));
}

function validateFinalizerDomains(
  meta: ObjectMeta,
  { standardFinalizers }: Pick<ObjectMetaRules, 'standardFinalizers'>,
  path: FieldPath,
): FieldError[] {
  if (standardFinalizers === undefined) return [];
  return (meta.finalizers ?? []).flatMap((name, i) =>
    validateFinalizerDomain(name, standardFinalizers, path.child('finalizers').index(i)),
  );
}

/**
 * Validates a change of metadata. The resource version must be present. The identity never changes. A missing uid,
 * deletion time or grace period counts as the old value, and so does any creation time, because the server keeps these.
 *
 * @example
 * validateObjectMetaUpdate({ name: 'b', resourceVersion: '1' }, { name: 'a' }).map(({ text }) => text)
 * // => ['metadata.name: Invalid value: "b": field is immutable']
 */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  rules: Pick<ObjectMetaRules, 'path' | 'standardFinalizers'> = {},
): FieldError[] {
  const path = rules.path ?? METADATA;
  const errors: FieldError[] = [];
  if (old.deletionTimestamp) {
    append(errors, validateNoNewFinalizers(meta.finalizers, old.finalizers, path.child('finalizers')));
  }
  if (!meta.resourceVersion) {
    errors.push(invalidValue(path.child('resourceVersion'), '', 'must be specified for an update'));
  }
  if (Number(meta.generation ?? 0) < Number(old.generation ?? 0)) {
    errors.push(invalidValue(path.child('generation'), meta.generation ?? 0, 'must not be decremented'));
  }
  return [
    ...errors,
    ...validateImmutable(meta.name ?? '', old.name ?? '', path.child('name')),
    ...validateImmutable(meta.namespace ?? '', old.namespace ?? '', path.child('namespace')),
    ...validateKept(meta, old, 'uid', path),
    ...validateKept(meta, old, 'deletionTimestamp', path),
    ...validateKept(meta, old, 'deletionGracePeriodSeconds', path),
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    ...validateManagedFields(meta.managedFields, path.child('managedFields')),
    ...validateFinalizerDomains(meta, rules, path),
  ];
}

function validateKept(
  meta: ObjectMeta,
  old: ObjectMeta,
  field: 'uid' | 'deletionTimestamp' | 'deletionGracePeriodSeconds',
  path: FieldPath,
): FieldError[] {
  const value = meta[field] ?? '';
  return value === '' ? [] : validateImmutable(value, old[field], path.child(field));
}

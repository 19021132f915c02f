import { type FieldError, type FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { qualifiedName } from './names.ts';

/** Keeps a deleted object until its dependents are orphaned. */
export const ORPHAN_FINALIZER = 'orphan';
/** Keeps a deleted object until its dependents are deleted. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

/** The finalizers that need no domain. */
export function standardFinalizers(naming: Pick<Naming, 'product'>): readonly string[] {
  return [naming.product, ORPHAN_FINALIZER, FOREGROUND_FINALIZER];
}

/** Validates the form of finalizers, which have names like labels. Errors are at `path`, without an index. */
export function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const list = finalizers ?? [];
  const errors = list.flatMap((name) => qualifiedName(name).map((problem) => invalidValue(path, name, problem)));
  if (list.includes(ORPHAN_FINALIZER) && list.includes(FOREGROUND_FINALIZER)) {
    const detail = `finalizer ${ORPHAN_FINALIZER} and ${FOREGROUND_FINALIZER} cannot be both set`;
    errors.push(invalidValue(path, list, detail));
  }
  return errors;
}

/**
 * Validates a finalizer of a built-in kind. It is a standard one or has a domain. The error is at `path`.
 *
 * @example validateFinalizerDomain('example.com/hold', [], new FieldPath('finalizers')) // => []
 */
export function validateFinalizerDomain(name: string, standard: readonly string[], path: FieldPath): FieldError[] {
  if (name.includes('/') || standard.includes(name)) return [];
  return [invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

/**
 * The error for finalizers that an update adds to an object that is being deleted.
 *
 * @example validateNoNewFinalizers(['a', 'b'], ['a'], new FieldPath('finalizers')).length // => 1
 */
export function validateNoNewFinalizers(
  finalizers: readonly string[] | undefined,
  old: readonly string[] | undefined,
  path: FieldPath,
): FieldError[] {
  const known = new Set(old);
  const added = [...new Set(finalizers ?? [])].filter((name) => !known.has(name)).sort();
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  const rule = 'no new finalizers can be added if the object is being deleted';
  return [forbiddenField(path, `${rule}, found new finalizers []string{${list}}`)];
}

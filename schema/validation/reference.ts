import { type FieldError, type FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import { pathSegmentName, type TextCheck } from './names.ts';

/**
 * The error about a missing required text.
 *
 * @example validateRequired('', new FieldPath('name')).map(({ text }) => text) // => ['name: Required value']
 */
export function validateRequired(value: string | null | undefined, path: FieldPath, detail = ''): FieldError[] {
  return value ? [] : [required(path, detail)];
}

/**
 * The errors of a text that must pass a check. A missing text counts as empty.
 *
 * @example
 * validateText('A', (text) => (text === 'a' ? [] : ['must be a']), new FieldPath('name')).map(({ text }) => text)
 * // => ['name: Invalid value: "A": must be a']
 */
export function validateText(value: string | null | undefined, check: TextCheck, path: FieldPath): FieldError[] {
  return check(value ?? '').map((problem) => invalidValue(path, value ?? '', problem));
}

/**
 * The errors of a text that is required and must pass a check. For a missing text, the only error is that it is
 * missing.
 *
 * @example
 * validateRequiredText('', () => ['bad'], new FieldPath('a')).map(({ text }) => text)
 * // => ['a: Required value']
 */
export function validateRequiredText(
  value: string | null | undefined,
  check: TextCheck,
  path: FieldPath,
): FieldError[] {
  return value ? validateText(value, check, path) : [required(path)];
}

/** Validates a reference to an object by name and namespace. Both are required. */
export function validateNamespacedReference(
  reference: { name?: string; namespace?: string } | null | undefined,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateRequired(reference?.name, path.child('name')),
    ...validateRequired(reference?.namespace, path.child('namespace')),
  ];
}

/**
 * Validates a reference to an object of the same namespace by kind and name, in any API group. Scalers refer to their
 * target in this way.
 */
export function validateScaleTarget(
  reference: { kind?: string; name?: string } | null | undefined,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateRequiredText(reference?.kind, pathSegmentName, path.child('kind')),
    ...validateRequiredText(reference?.name, pathSegmentName, path.child('name')),
  ];
}

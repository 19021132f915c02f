import type { FieldError, FieldPath } from '#base/errors/field-error.ts';
import { type Count, validateNonnegative, validatePositive, validateRange } from './numbers.ts';

export { bounds } from '../generated/bounds.ts';

/** The minimum of a number, and its maximum if it has one. */
export type NumberBound =
  | { readonly minimum: number; readonly maximum: number }
  | { readonly minimum: 0 | 1; readonly maximum?: undefined };

/**
 * The error about a value outside of the bounds of a field. A missing value is valid.
 *
 * @example
 * validateBound(-1, { minimum: 0 }, new FieldPath('replicas')).map(({ text }) => text)
 * // => ['replicas: Invalid value: -1: must be greater than or equal to 0']
 */
export function validateBound(value: Count | null | undefined, bound: NumberBound, path: FieldPath): FieldError[] {
  if (bound.maximum !== undefined) return validateRange(value, bound.minimum, bound.maximum, path);
  return bound.minimum === 0 ? validateNonnegative(value, path) : validatePositive(value, path);
}

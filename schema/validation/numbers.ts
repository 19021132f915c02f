import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { JsonNumber } from '#base/json/json-value.ts';

/** A count. An int64 value that a double cannot hold is a {@link JsonNumber}. */
export type Count = number | JsonNumber;

export const NOT_NEGATIVE = 'must be greater than or equal to 0';

/** The error about a value below zero. A missing value is valid. */
export function validateNonnegative(value: Count | null | undefined, path: FieldPath): FieldError[] {
  return value != null && Number(value) < 0 ? [invalidValue(path, value, NOT_NEGATIVE)] : [];
}

/** The error about a value that is not above zero. A missing value is valid. */
export function validatePositive(value: Count | null | undefined, path: FieldPath): FieldError[] {
  return value != null && Number(value) <= 0 ? [invalidValue(path, value, 'must be greater than 0')] : [];
}

/**
 * The error about a value outside of `min` to `max`, both included. A missing value is valid.
 *
 * @example
 * validateRange(7, 0, 5, new FieldPath('spec')).map(({ text }) => text)
 * // => ['spec: Invalid value: 7: must be between 0 and 5, inclusive']
 */
export function validateRange(
  value: Count | null | undefined,
  min: number,
  max: number,
  path: FieldPath,
): FieldError[] {
  if (value == null || (Number(value) >= min && Number(value) <= max)) return [];
  return [invalidValue(path, value, rangeMessage(min, max))];
}

/**
 * The detail of a number outside a range.
 *
 * @example rangeMessage(0, 5) // => 'must be between 0 and 5, inclusive'
 */
export function rangeMessage(min: number, max: number): string {
  return `must be between ${min} and ${max}, inclusive`;
}

import type { FieldError, FieldPath } from '#base/errors/field-error.ts';
import { type IntOrString, percentOf } from '../values/int-or-string.ts';
import { invalidShown } from './go-list.ts';
import { percentText } from './names.ts';
import { validateNonnegative } from './numbers.ts';
import { shownIntOrString } from './shown-values.ts';

/** Validates a count of zero or more, or a percentage. A missing value is valid. */
export function validateCountOrPercent(value: IntOrString | null | undefined, path: FieldPath): FieldError[] {
  if (typeof value !== 'string') return validateNonnegative(value, path);
  return percentText(value).map((problem) => invalidAmount(value, path, problem));
}

/** The error about a percentage above 100. Any other value is valid here. */
export function validateAtMostAll(value: IntOrString | null | undefined, path: FieldPath): FieldError[] {
  const percent = typeof value === 'string' && percentText(value).length === 0 ? (percentOf(value) ?? Infinity) : 0;
  return percent > 100 ? [invalidAmount(value ?? 0, path, 'must not be greater than 100%')] : [];
}

/** Whether a count or percentage is zero: `0` or `0%`. A text that is not a percentage counts as zero too. */
export function isNone(value: IntOrString | null | undefined): boolean {
  if (typeof value !== 'string') return (value ?? 0) === 0;
  return percentText(value).length > 0 || percentOf(value) === 0;
}

/**
 * The error about an invalid count or percentage, in the form of values that may be either.
 *
 * @example
 * invalidAmount('ten', new FieldPath('maxSurge'), 'must be a count').text
 * // => 'maxSurge: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"ten"}: must be a count'
 */
export function invalidAmount(value: IntOrString, path: FieldPath, detail: string): FieldError {
  return invalidShown(path, shownIntOrString(value), detail);
}

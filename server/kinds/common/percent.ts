import { type FieldError, type FieldPath, invalidValue } from '../../errors/field-error.ts';
import { type IntOrString, percentOf } from '../../schema/values/int-or-string.ts';
import { percentText } from './names.ts';
import { validateNonnegative } from './numbers.ts';

/** A count of zero or more, or a percentage; a missing value is fine. */
export function validateCountOrPercent(value: IntOrString | null | undefined, path: FieldPath): FieldError[] {
  if (typeof value !== 'string') return validateNonnegative(value, path);
  return percentText(value).map((problem) => invalidValue(path, value, problem));
}

/** A percentage above 100 is invalid; anything else is fine here. */
export function validateAtMostAll(value: IntOrString | null | undefined, path: FieldPath): FieldError[] {
  const percent = typeof value === 'string' && percentText(value).length === 0 ? (percentOf(value) ?? Infinity) : 0;
  return percent > 100 ? [invalidValue(path, value, 'must not be greater than 100%')] : [];
}

/** Whether a count or percentage is nothing: `0` or `0%`. A text that is no percentage counts as nothing too. */
export function isNone(value: IntOrString | null | undefined): boolean {
  return (typeof value === 'string' ? (percentOf(value) ?? 0) : (value ?? 0)) === 0;
}

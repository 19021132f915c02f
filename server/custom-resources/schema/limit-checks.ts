import type { JsonNumber, JsonObject } from '#base/json/json-value.ts';
import { compareNumbers, isMultiple } from './numbers.ts';
import type { ValueLimits } from './structural-schema.ts';
import type { ValueErrors } from './value-errors.ts';

// These checks need only one number, or the size of one list or object.

/** Adds errors about a number that is too small, too large or not a multiple. */
export function checkNumber(errors: ValueErrors, limits: ValueLimits, value: number | JsonNumber): void {
  const { multipleOf, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = limits;
  if (multipleOf !== undefined) checkMultiple(errors, value, multipleOf);
  if (minimum !== undefined) {
    const order = compareNumbers(value, minimum);
    if (order < 0 || (exclusiveMinimum && order === 0)) {
      errors.refuse(value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
    }
  }
  if (maximum !== undefined) {
    const order = compareNumbers(value, maximum);
    if (order > 0 || (exclusiveMaximum && order === 0)) {
      errors.refuse(value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
    }
  }
}

function checkMultiple(errors: ValueErrors, value: number | JsonNumber, factor: number): void {
  if (factor <= 0) errors.refuseFactor(factor);
  else if (!isMultiple(value, factor)) errors.refuse(value, `should be a multiple of ${factor}`);
}

/** Adds errors about a list with too few or too many items. */
export function checkLength(errors: ValueErrors, { minItems, maxItems }: ValueLimits, length: number): void {
  if (minItems !== undefined && length < minItems) errors.refuse(length, `should have at least ${minItems} items`);
  if (maxItems !== undefined && length > maxItems) errors.tooMany(length, maxItems);
}

/** Whether an object has an allowed number of fields. If not, adds an error, and no other check of the object runs. */
export function checkProperties(
  errors: ValueErrors,
  { minProperties, maxProperties }: ValueLimits,
  count: number,
): boolean {
  if (minProperties !== undefined && count < minProperties) {
    errors.refuse(count, `should have at least ${minProperties} properties`);
    return false;
  }
  if (maxProperties !== undefined && count > maxProperties) {
    errors.tooMany(count, maxProperties);
    return false;
  }
  return true;
}

/** Adds errors about required fields that an object does not have. */
export function checkRequired(errors: ValueErrors, { required }: ValueLimits, object: JsonObject): void {
  for (const name of required) {
    if (Object.hasOwn(object, name)) continue;
    if (errors.isFull) return;
    errors.required(name);
  }
}

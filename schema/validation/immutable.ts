import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  replacedByRule,
} from '#base/errors/field-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, JsonNumber } from '#base/json/json-value.ts';

/** The message about a changed field that must not change. */
export const IMMUTABLE = 'field is immutable';

/**
 * Whether two values in stored form have the same meaning. Null and empty lists count as missing at any depth. An empty
 * object does not count as missing. The stored form leaves out maps without entries, so an empty object is a message
 * that exists.
 */
export function semanticallyEqual(a: unknown, b: unknown): boolean {
  return jsonEqual(withoutEmpty(a), withoutEmpty(b));
}

/**
 * A text for a value in stored form. Two values have the same text if, and only if, they are {@link semanticallyEqual}.
 * A search in a list of such texts takes one step.
 *
 * @example semanticKey({ b: [], a: 1 }) === semanticKey({ a: 1 }) // => true
 */
export function semanticKey(value: unknown): string {
  return keyOf(withoutEmpty(value));
}

function keyOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item)).join(',')}]`;
  if (isObject(value)) {
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    return `{${names
      .sort()
      .map((name) => `${JSON.stringify(name)}:${keyOf(value[name])}`)
      .join(',')}}`;
  }
  if (typeof value !== 'number' && !(value instanceof JsonNumber)) return JSON.stringify(value) ?? '';
  const number = Number(value);
  return String(Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : value);
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item) ?? null);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).flatMap(([name, child]) => {
    const kept = withoutEmpty(child);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * The error about an invalid value, unless the field has not changed.
 *
 * @example
 * validateImmutable('b', 'a', new FieldPath('type')).map(({ text }) => text)
 * // => ['type: Invalid value: "b": field is immutable']
 */
export function validateImmutable(value: unknown, old: unknown, path: FieldPath): FieldError[] {
  return semanticallyEqual(value, old) ? [] : [invalidValue(path, value, IMMUTABLE)];
}

/** The error about a change of a fixed field. Since 1.37 a rule in the schema finds it. It shows no value. */
export function fixedByRule(error: FieldError): FieldError {
  return replacedByRule(error, 37, invalidValue(error.field, null, IMMUTABLE));
}

/**
 * A forbidden error with `detail`, unless the field has not changed.
 *
 * @example
 * forbidChange('b', 'a', new FieldPath('type')).map(({ text }) => text)
 * // => ['type: Forbidden: field is immutable']
 */
export function forbidChange(value: unknown, old: unknown, path: FieldPath, detail = IMMUTABLE): FieldError[] {
  return semanticallyEqual(value, old) ? [] : [forbiddenField(path, detail)];
}

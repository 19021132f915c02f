import { isObject, JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';

/** A single value, which is neither a list nor an object. */
export type Scalar = null | boolean | number | string | JsonNumber;

/** Whether a value is a scalar, which is compared as a whole. */
export function isScalar(value: JsonValue): value is Scalar {
  return value === null || typeof value !== 'object' || value instanceof JsonNumber;
}

/** An object's own members; undefined if the value is null, absent or not an object. */
export function membersOf(value: JsonValue | undefined): JsonObject | undefined {
  return value !== undefined && isObject(value) ? value : undefined;
}

/** A list's items; undefined if the value is null, absent or not a list. */
export function itemsOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Whether an object has no own members. */
export function isBare(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

/** A member of an object; inherited names (`constructor`) are not members. */
export function memberOf(object: JsonObject | undefined, name: string): JsonValue | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A scalar as JSON. Equal scalars have the same text. */
export function scalarText(value: Scalar): string {
  if (value instanceof JsonNumber) {
    const number = Number(value.text);
    return Number.isSafeInteger(number) || !/^-?\d+$/.test(value.text) ? String(number) : value.text;
  }
  return JSON.stringify(value);
}

/** Whether two values are the same. Numbers are compared by value, texts by spelling: `1` is not `"1"`. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (isScalar(a) || isScalar(b)) {
    if (!isScalar(a) || !isScalar(b)) return false;
    return (a instanceof JsonNumber || b instanceof JsonNumber) && scalarText(a) === scalarText(b);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!sameValue(a[i], b[i])) return false;
    return true;
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) if (!Object.hasOwn(b, name) || !sameValue(a[name], b[name])) return false;
  return true;
}

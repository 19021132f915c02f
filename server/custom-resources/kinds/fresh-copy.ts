import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { settledNumber } from '#base/json/settled-number.ts';

/** The error about a number that is too large for every double. */
export class NumberTooLargeError extends Error {}

/**
 * A copy of a value with the members of all objects sorted by name, and with canonical numbers. Equal values have equal
 * copies.
 * @throws NumberTooLargeError
 */
export function sortedCopy(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof JsonNumber) {
    const settled = settledNumber(value);
    if (Number.isFinite(Number(settled))) return settled;
    throw new NumberTooLargeError(`json: cannot unmarshal number ${value.text} into Go value of type float64`);
  }
  if (Array.isArray(value)) return value.map(sortedCopy);
  return sortedMembers(value, Object.keys(value).sort());
}

/** A copy of some members of an object, in the given order. Each member is copied like in {@link sortedCopy}. */
export function sortedMembers(object: JsonObject, names: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const name of names) setKey(copy, name, sortedCopy(object[name]!));
  return copy;
}

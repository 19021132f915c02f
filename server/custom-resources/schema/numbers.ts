import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { numberText } from '#base/text/number-text.ts';

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** Whether a value is a number, either a double or a number that is kept as text. */
export function isNumber(value: JsonValue): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber;
}

/** The number as an integer of 64 bits if its text is an integer: `3`, but not `3.0` and not `1e2`. */
export function toInteger(value: number | JsonNumber): bigint | undefined {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value);
    if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) return undefined;
    return BigInt(value);
  }
  if (!/^-?[0-9]{1,20}$/.test(value.text)) return undefined;
  const integer = BigInt(value.text);
  return integer >= MIN_INT64 && integer <= MAX_INT64 ? integer : undefined;
}

/** A number in messages: the digits of an integer of 64 bits, and otherwise those of a double (`1e+30`). */
export function shownNumber(value: number | JsonNumber): string {
  return (toInteger(value) ?? numberText(Number(value))).toString();
}

/**
 * Whether a number counts as an integer. It is written as a 64-bit integer, or it is whole and a double holds it
 * exactly (`3.0`).
 */
export function isWhole(value: number | JsonNumber): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
  return toInteger(value) !== undefined || Number.isSafeInteger(Number(value.text));
}

/**
 * Below zero, zero or above zero if a number is less than a limit, equal to it or greater. Integers of 64 bits are
 * compared exactly.
 */
export function compareNumbers(value: number | JsonNumber, limit: number): number {
  const integer = typeof value === 'number' ? undefined : toInteger(value);
  if (integer !== undefined && Number.isInteger(limit)) {
    const other = BigInt(limit);
    return integer < other ? -1 : integer > other ? 1 : 0;
  }
  return Number(value) - limit;
}

/**
 * The largest relative error of a quotient of two doubles that represent decimals. For example, `0.3 / 0.1` is not 3.
 */
const QUOTIENT_ERROR = 4 * Number.EPSILON;

/**
 * Whether a number is a multiple of a factor above zero. This is exact for integers. For fractions it is as exact as
 * doubles allow.
 */
export function isMultiple(value: number | JsonNumber, factor: number): boolean {
  if (Number.isSafeInteger(factor)) {
    const integer = toInteger(value);
    if (integer !== undefined) return integer % BigInt(factor) === 0n;
    const double = Number(value);
    if (Number.isSafeInteger(double)) return double % factor === 0;
  }
  const quotient = Number(value) / factor;
  return Math.abs(quotient - Math.round(quotient)) <= QUOTIENT_ERROR * Math.abs(quotient);
}

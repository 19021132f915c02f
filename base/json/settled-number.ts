import { JsonNumber, type JsonValue } from './json-value.ts';

const WHOLE = /^-?[0-9]{1,19}$/;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * The canonical form of a number. A 64-bit integer stays exact. Any other number becomes the nearest double, written as
 * the field's programs write it: `1.0`, `1e3` and `1.10` become 1, 1000 and 1.1, `1e21` is written `1e+21`, and -0 is
 * 0. A number beyond the range of doubles keeps its text.
 *
 * @example settledNumber(new JsonNumber('1e3')) // => 1000
 */
export function settledNumber(number: JsonNumber): number | JsonNumber {
  const { text } = number;
  const near = Number(text);
  if (!Number.isFinite(near)) return number;
  if (!Number.isSafeInteger(near) && WHOLE.test(text)) {
    const exact = BigInt(text);
    if (exact >= MIN_INT64 && exact <= MAX_INT64) return number;
  }
  return near === 0 ? 0 : near;
}

/** A value with canonical numbers. A list or an object is changed in place. */
export function settleNumbers(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return settledNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (typeof value[i] === 'object') value[i] = settleNumbers(value[i]!);
    return value;
  }
  // The object already has the member, so an assignment cannot reach a setter of the prototype.
  for (const key of Object.keys(value)) {
    const member = value[key]!;
    if (typeof member === 'object') value[key] = settleNumbers(member);
  }
  return value;
}

/**
 * Matches after a colon, a comma or a bracket: -0, an exponent, a fraction that starts or ends with zeros, or more
 * digits than any double prints.
 */
const UNSETTLED = /[:,[](?:-0[,}\]]|-?(?:\d+(?:\.\d*)?[eE]|\d+\.\d*0[,}\]]|0\.0{6}|[\d.]{17}))/;

/**
 * Whether the text of a stored object may contain numbers that the canonical form would change. True for a few texts
 * without such numbers, and never false for a text with one.
 */
export function mayBeUnsettled(body: Buffer): boolean {
  return UNSETTLED.test(body.toString('latin1'));
}

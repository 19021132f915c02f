import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';

/** The rules of YAML 1.1 in the field's systems: with `y` and `on`, octal numbers and underscores, without base 60. */
const NULL = /^(?:~|null|Null|NULL)?$/;
const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]{1,16}|0[bB][01]{1,64}|0[0-7]{0,22}|0[oO][0-7]{1,22}|[1-9][0-9]{0,19})$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NO_NUMBER = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;
/** Matches texts that readers with base 60 read as numbers. */
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const TIMESTAMP = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt \t])/;
const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_INT64 = -(2n ** 63n);

/**
 * The value of a scalar without quotes or tag.
 *
 * @throws MalformedBodyError for an infinite number
 */
export function plainValue(text: string): JsonValue {
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  const first = text.charCodeAt(0);
  const numeric = first === 0x2b || first === 0x2d || first === 0x2e || (first >= 0x30 && first <= 0x39);
  return numeric ? (numberValue(text) ?? text) : text;
}

/** Whether a reader would read a text as another value. The reader may be this one, or one with base 60 and times. */
export function needsQuotes(text: string): boolean {
  if (NO_NUMBER.test(text) || BASE_60.test(text) || TIMESTAMP.test(text) || text === '<<') return true;
  return typeof plainValue(text) !== 'string';
}

/** The number that a text means; undefined if it is not a number. */
function numberValue(text: string): number | JsonNumber | undefined {
  const spelt = text.includes('_') ? text.replaceAll('_', '') : text;
  if (INTEGER.test(spelt)) {
    const integer = integerValue(spelt);
    if (integer !== undefined) return integer;
  }
  if (FLOAT.test(spelt)) {
    const value = Number(spelt);
    if (Number.isFinite(value)) return value + 0;
  }
  if (NO_NUMBER.test(spelt)) throw new MalformedBodyError(`json: unsupported value: ${text}`);
  return undefined;
}

/** An integer of 64 bits, exactly; undefined beyond that. */
function integerValue(text: string): number | JsonNumber | undefined {
  const negative = text[0] === '-';
  const digits = negative || text[0] === '+' ? text.slice(1) : text;
  const octal = /^0[0-7]+$/.test(digits);
  const size = BigInt(octal ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const exact = negative ? -size : size;
  if (exact > MAX_UINT64 || exact < MIN_INT64) return undefined;
  const near = Number(exact);
  return String(near) === String(exact) ? near : new JsonNumber(String(exact));
}

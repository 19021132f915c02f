import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { ValueError } from './value-error.ts';

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
const BASE64 = /[^A-Za-z0-9+/]/;

/** The int32 that a JSON number spells; undefined for anything else (`1e2`, `3.0`, out of range). */
export function toInt32(value: JsonValue): number | undefined {
  if (typeof value !== 'number') return value instanceof JsonNumber && value.text === '-0' ? 0 : undefined;
  return value === (value | 0) ? value | 0 : undefined;
}

/**
 * The int64 that a JSON number represents; undefined for anything else. It stays text if a double would be written
 * differently.
 */
export function toInt64(value: JsonValue): number | JsonNumber | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? value + 0 : undefined;
  if (!(value instanceof JsonNumber) || !/^-?[0-9]{1,19}$/.test(value.text)) return undefined;
  const exact = BigInt(value.text);
  if (exact > MAX_INT64 || exact < MIN_INT64) return undefined;
  const near = Number(exact);
  return String(near) === String(exact) ? near : value;
}

/** The double that a JSON number represents; undefined for anything else, and for numbers that are too large. */
export function toDouble(value: JsonValue): number | undefined {
  if (typeof value !== 'number' && !(value instanceof JsonNumber)) return undefined;
  const near = Number(value);
  return Number.isFinite(near) ? near + 0 : undefined;
}

/**
 * A text in standard base64, without line breaks and with zeros in the spare bits.
 *
 * @throws ValueError
 */
export function canonicalBase64(text: string): string {
  const joined = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, '') : text;
  const padding = joined.endsWith('==') ? 2 : joined.endsWith('=') ? 1 : 0;
  const end = joined.length - padding;
  const bad = BASE64.exec(padding === 0 ? joined : joined.slice(0, end));
  if (bad !== null) throw illegalBase64(text, bad.index);
  const rest = end % 4;
  if (joined.length % 4 !== 0 || rest === 1 || (rest === 0 && padding > 0)) {
    throw illegalBase64(text, unpairedAt(end, rest, padding));
  }
  return padding === 0 ? joined : Buffer.from(joined, 'base64').toString('base64');
}

/**
 * The position of the error in a group of four: its start if there is no padding, otherwise the sign that is surplus or
 * missing.
 */
function unpairedAt(end: number, rest: number, padding: number): number {
  if (padding === 0) return end - rest;
  if (rest < 2) return end;
  return rest === 2 ? end + padding : end + 1;
}

/** `index` does not count line breaks, but the message counts them. */
function illegalBase64(text: string, index: number): ValueError {
  let at = 0;
  for (let seen = 0; at < text.length; at++) {
    if (text[at] === '\n' || text[at] === '\r') continue;
    if (seen++ === index) break;
  }
  return new ValueError(`illegal base64 data at input byte ${at}`);
}

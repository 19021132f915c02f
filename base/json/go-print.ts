import { compareText } from '../collections/sort-short.ts';
import { isObject, JsonNumber, type JsonValue } from './json-value.ts';

/**
 * A value as messages of the field's servers print it: `map[a:1 b:[x y] c:<nil>]`, names in order and no quotes.
 *
 * @example goPrint({ a: [1, 'b'] }) // => 'map[a:[1 b]]'
 */
export function goPrint(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const names = Object.keys(value).sort(compareText);
  return `map[${names.map((name) => `${name}:${goPrint(value[name]!)}`).join(' ')}]`;
}

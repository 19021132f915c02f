import { InexactNumberError, JsonNumber, type JsonValue } from './json-value.ts';

/**
 * The JSON text of a value; a `JsonNumber` keeps its spelling. Undefined fields are left out. Without `indent` there
 * are no blanks. With it the text is formatted for people, but a value with a `JsonNumber` stays in one line.
 *
 * @example stringify({ a: 1, b: undefined }) // => '{"a":1}'
 */
export function stringify(value: JsonValue | object, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (error instanceof InexactNumberError) return writeExactly(value as JsonValue);
    throw error;
  }
}

function writeExactly(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value))
    return `[${value.map((item) => (item === undefined ? 'null' : writeExactly(item))).join(',')}]`;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value);
  const fields: string[] = [];
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${writeExactly(field)}`);
  }
  return `{${fields.join(',')}}`;
}

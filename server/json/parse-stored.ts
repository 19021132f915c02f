import { mayMistakeKeys } from './backslash-keys.ts';
import type { JsonObject, JsonValue } from './json-value.ts';
import { parseExactly } from './parse-exactly.ts';

const LONG_NUMBER = /[0-9]{16}/;

/**
 * Parses an object that this system wrote: valid UTF-8 without keys given twice. Numbers that a double cannot hold stay
 * exact. Throws a SyntaxError or a MalformedBodyError on anything else.
 */
export function parseStored<T = JsonObject>(bytes: Buffer): T {
  return parseTrusted(bytes.toString()) as T;
}

/** As {@link parseStored}, of a text. */
export function parseTrusted(text: string): JsonValue {
  if (LONG_NUMBER.test(text)) return parseExactly(text).value;
  const value = JSON.parse(text) as JsonValue;
  return mayMistakeKeys(text, value) ? parseExactly(text).value : value;
}

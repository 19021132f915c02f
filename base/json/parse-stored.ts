import { mayMistakeKeys } from './backslash-keys.ts';
import type { JsonObject, JsonValue } from './json-value.ts';
import { parseExactly } from './parse-exactly.ts';
import { settleNumbers } from './settled-number.ts';

const LONG_NUMBER = /[0-9]{16}/;

/**
 * Parses an object that this system wrote: valid UTF-8 without repeated keys. Integers that a double cannot hold stay
 * exact. All other numbers have the canonical form that the engine's own parser gives them.
 *
 * @throws SyntaxError or MalformedBodyError for anything else
 */
export function parseStored<T = JsonObject>(bytes: Buffer): T {
  return parseTrusted(bytes.toString()) as T;
}

/** Like {@link parseStored}, for a text. */
export function parseTrusted(text: string): JsonValue {
  if (LONG_NUMBER.test(text)) return settleNumbers(parseExactly(text).value);
  const value = JSON.parse(text) as JsonValue;
  return mayMistakeKeys(text, value) ? settleNumbers(parseExactly(text).value) : value;
}

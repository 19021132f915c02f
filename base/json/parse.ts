import { isUtf8 } from 'node:buffer';
import { mayMistakeKeys } from './backslash-keys.ts';
import type { JsonValue } from './json-value.ts';
import { MalformedBodyError } from './malformed-body-error.ts';
import { MAX_DEPTH, parseExactly } from './parse-exactly.ts';
import type { Repeats } from './repeats.ts';
import { scan } from './scan.ts';

/** A parsed body. */
export interface Parsed {
  readonly value: JsonValue;
  /** What to tell about keys given twice, the last of which counts: `duplicate field "data.k"`. */
  readonly duplicates: string[];
  /** The objects in `value` with keys given twice, if there are any. */
  readonly repeats?: Repeats;
}

/** As {@link parseJson}; undefined for what is no JSON, which costs no search for the mistake. */
export function parseIfJson(input: Uint8Array | string): Parsed | undefined {
  return parse(input, () => undefined);
}

/**
 * Parses strict JSON in UTF-8. Numbers that a double would not give back as spelt become `JsonNumber`s; lists and
 * objects nest at most {@link MAX_DEPTH} deep.
 *
 * Nearly all texts have no key twice and no odd number: they take the engine's own parser and one look at the bytes.
 *
 * @throws MalformedBodyError
 */
export function parseJson(input: Uint8Array | string): Parsed {
  return parse(input, parseExactly);
}

function parse<T>(input: Uint8Array | string, broken: (text: string) => T): Parsed | T {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  if (!isUtf8(bytes)) throw new MalformedBodyError('invalid UTF-8 text');
  const { colons, depth, odd } = scan(bytes);
  const text = typeof input === 'string' ? input : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  if (depth > MAX_DEPTH) return parseExactly(text);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return broken(text);
  }
  if (odd || countKeys(value) !== colons || mayMistakeKeys(text, value)) return parseExactly(text);
  return { value, duplicates: [] };
}

function countKeys(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countKeys(item);
    return count;
  }
  for (const key in value) {
    count++;
    const child = (value as { [key: string]: JsonValue })[key];
    if (typeof child === 'object') count += countKeys(child);
  }
  return count;
}

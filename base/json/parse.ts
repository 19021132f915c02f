import { isUtf8 } from 'node:buffer';
import type { Steps } from '#base/time/steps.ts';
import { mayMistakeKeys } from './backslash-keys.ts';
import type { JsonValue } from './json-value.ts';
import { MalformedBodyError } from './malformed-body-error.ts';
import { MAX_DEPTH, parseExactly } from './parse-exactly.ts';
import type { Repeats } from './repeats.ts';
import { scan } from './scan.ts';

/** A parsed body. */
export interface Parsed {
  readonly value: JsonValue;
  /** A message for each repeated key: `duplicate field "data.k"`. The last value of such a key is used. */
  readonly duplicates: string[];
  /** The objects in `value` with repeated keys, if there are any. */
  readonly repeats?: Repeats;
}

/**
 * Parses strict JSON in UTF-8. A number that a double would print in another form becomes a `JsonNumber`. Lists and
 * objects nest at most {@link MAX_DEPTH} deep.
 *
 * Nearly all texts have no repeated key and no unusual number. For them, the engine's own parser and one look at the
 * bytes are enough.
 *
 * @throws MalformedBodyError
 */
export function parseJson(input: Uint8Array | string): Parsed {
  const look = lookAt(input);
  const value = engineValue(look);
  return value === undefined ? parseExactly(look.text) : checked(look, value);
}

/** Does the work of {@link parseJson} in two steps. The second step checks the keys. */
export function* parseJsonInSteps(input: Uint8Array | string): Steps<Parsed> {
  return yield* parseInSteps(input, parseExactly);
}

/** Like {@link parseJsonInSteps}, but undefined for a text that is not JSON. It does not search for the mistake. */
export function* parseIfJsonInSteps(input: Uint8Array | string): Steps<Parsed | undefined> {
  return yield* parseInSteps(input, () => undefined);
}

function* parseInSteps<T>(input: Uint8Array | string, broken: (text: string) => T): Steps<Parsed | T> {
  const look = lookAt(input);
  const value = engineValue(look);
  yield;
  return value === undefined ? broken(look.text) : checked(look, value);
}

/** A text, and the facts that its bytes show. */
interface Look {
  readonly text: string;
  readonly colons: number;
  readonly depth: number;
  readonly odd: boolean;
}

function lookAt(input: Uint8Array | string): Look {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  if (!isUtf8(bytes)) throw new MalformedBodyError('invalid UTF-8 text');
  const { colons, depth, odd } = scan(bytes);
  const text = typeof input === 'string' ? input : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  return { text, colons, depth, odd };
}

/**
 * The value from the engine's parser. It is null if the value nests too deep, and undefined if the text is not JSON.
 */
function engineValue({ text, depth }: Look): JsonValue | undefined {
  if (depth > MAX_DEPTH) return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function checked({ text, colons, depth, odd }: Look, value: JsonValue): Parsed {
  const inexact = odd || depth > MAX_DEPTH || countKeys(value) !== colons || mayMistakeKeys(text, value);
  return inexact ? parseExactly(text) : { value, duplicates: [] };
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

import { isUtf8 } from 'node:buffer';
import { isObject, JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { type Parsed, parseIfJsonInSteps } from '#base/json/parse.ts';
import { setKey } from '#base/json/set-key.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import { readCompletely } from './complete-reader.ts';
import { NotPlain } from './line-cursor.ts';
import { readPlain } from './plain-reader.ts';
import { plainValue } from './scalars.ts';

/** The largest number of lines of all kinds, with those of long texts. Each costs about 170 bytes while it is read. */
const MAX_LINES = 150_000;
const LINE_END = 0x0a;

/**
 * Parses the first document of a YAML 1.1 stream to JSON. Keys are sorted, and keys that are not texts become texts.
 * `duplicates` have the form `line 7: key "x" already set in map`. The last value is used.
 *
 * @throws MalformedBodyError with a message that starts with `yaml: `
 */
export function parseYaml(input: Uint8Array | string): Parsed {
  return atOnce(parseYamlInSteps(input));
}

/** Like {@link parseYaml}, in several steps. For texts that are not JSON, the complete reader is one step. */
export function* parseYamlInSteps(input: Uint8Array | string): Steps<Parsed> {
  const json = yield* jsonAsYaml(input);
  if (json !== undefined) return json;
  yield;
  return parseStream(input);
}

/** The text of a strict error about repeated keys of a YAML document. */
export function strictYamlError(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((text) => `  ${text}`).join('\n')}`;
}

const LOOKS_LIKE_JSON = /^[ \n\r]*[{[]/;

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/**
 * The value of a "YAML" body that is JSON. Most are, and JSON is much cheaper to parse. Undefined if the input is not
 * JSON or has unusual parts.
 */
function* jsonAsYaml(input: Uint8Array | string): Steps<Parsed | undefined> {
  if (!LOOKS_LIKE_JSON.test(typeof input === 'string' ? input.slice(0, 100) : latin1(input.subarray(0, 100)))) {
    return undefined;
  }
  try {
    const parsed = yield* parseIfJsonInSteps(input);
    if (parsed === undefined || parsed.duplicates.length > 0) return undefined;
    yield;
    return { value: sorted(parsed.value), duplicates: [] };
  } catch (error) {
    if (error instanceof MalformedBodyError) return undefined;
    throw error;
  }
}

/** The value with sorted keys and with the numbers that YAML reads. */
function sorted(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return plainValue(value.text);
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) setKey(result, key, sorted(value[key] ?? null));
  return result;
}

function parseStream(input: Uint8Array | string): Parsed {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  if (!isUtf8(bytes)) throw new MalformedBodyError('yaml: invalid UTF-8 text');
  if (hasMoreLines(bytes, MAX_LINES)) throw new MalformedBodyError('yaml: too many lines for YAML: send them as JSON');
  if (hasControls(bytes)) throw new MalformedBodyError('yaml: control characters are not allowed');
  const source = typeof input === 'string' ? input : new TextDecoder('utf-8', { ignoreBOM: true }).decode(input);
  try {
    return { value: readPlain(withLineFeeds(source)), duplicates: [] };
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error;
    return readCompletely(source, error.line);
  }
}

function withLineFeeds(source: string): string {
  if (source.includes('\ufeff')) throw new NotPlain(1);
  if (!source.includes('\r')) return source;
  const text = source.replaceAll('\r\n', '\n');
  if (text.includes('\r')) throw new NotPlain(1);
  return text;
}

function hasMoreLines(bytes: Uint8Array, most: number): boolean {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) if (++lines > most) return true;
  return false;
}

function hasControls(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return true;
  }
  return false;
}

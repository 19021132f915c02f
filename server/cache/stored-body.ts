const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

const KIND = Buffer.from('{"kind":"');
const API_VERSION = Buffer.from('","apiVersion":"');

/** The metadata fields before resourceVersion, in the order that clients know. */
const BEFORE_VERSION: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid']);

/** The error that a stored value does not have the form that this system writes. */
export class MalformedValueError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedValueError';
  }
}

/** A stored value in the form in which it is in memory. */
export interface ServedBody {
  readonly apiVersion: string;
  readonly body: Buffer;
}

/**
 * Turns a stored value (`{"kind":…,"apiVersion":…,…}`, no whitespace) into the served form: without these two keys, and
 * with `resourceVersion` right after `metadata.uid`. The body is a copy, so that it does not keep in memory the message
 * of which `value` is a slice.
 *
 * @throws MalformedValueError
 */
export function servedBody(value: Buffer, revision: number): ServedBody {
  if (value.length < KIND.length || value.compare(KIND, 0, KIND.length, 0, KIND.length) !== 0) {
    throw new MalformedValueError('does not start with its kind');
  }
  const kindEnd = value.indexOf(QUOTE, KIND.length);
  const versionStart = kindEnd + API_VERSION.length;
  if (
    kindEnd < 0 ||
    value.length < versionStart ||
    value.compare(API_VERSION, 0, API_VERSION.length, kindEnd, versionStart) !== 0
  ) {
    throw new MalformedValueError('has no apiVersion after its kind');
  }
  const versionEnd = value.indexOf(QUOTE, versionStart);
  if (versionEnd < 0 || value[versionEnd + 1] !== COMMA) throw new MalformedValueError('has no metadata');
  const start = versionEnd + 2;
  const { at, first, empty } = versionPlace(value, start);
  const text = `"resourceVersion":"${revision}"`;
  const inserted = first ? (empty ? text : `${text},`) : `,${text}`;
  const body = Buffer.allocUnsafeSlow(1 + value.length - start + inserted.length);
  body[0] = OPEN_OBJECT;
  value.copy(body, 1, start, at);
  const after = 1 + at - start;
  body.write(inserted, after, 'latin1');
  value.copy(body, after + inserted.length, at);
  return { apiVersion: value.toString('latin1', versionStart, versionEnd), body };
}

/**
 * The bytes of `metadata` in a served body, a slice of it.
 *
 * @throws MalformedValueError if there is none
 */
export function metadataOf(body: Buffer): Buffer {
  const start = metadataPlace(body, 1);
  return body.subarray(start, valueEnd(body, start));
}

interface Place {
  readonly at: number;
  /** Whether no metadata field precedes it. */
  readonly first: boolean;
  /** Whether the metadata has no fields. */
  readonly empty: boolean;
}

/** The position in `value` at which resourceVersion belongs. `position` is the first key after apiVersion. */
function versionPlace(value: Buffer, position: number): Place {
  return placeInMetadata(value, metadataPlace(value, position));
}

/** The position at which the value of metadata starts. `position` is that of a key of the object. */
function metadataPlace(value: Buffer, position: number): number {
  let at = position;
  for (;;) {
    const keyEnd = stringEnd(value, at);
    const key = value.toString('latin1', at + 1, keyEnd - 1);
    if (value[keyEnd] !== COLON) throw new MalformedValueError('is not JSON');
    if (key === 'metadata') return keyEnd + 1;
    at = valueEnd(value, keyEnd + 1);
    if (value[at] !== COMMA) throw new MalformedValueError('has no metadata');
    at++;
  }
}

function placeInMetadata(value: Buffer, open: number): Place {
  if (value[open] !== OPEN_OBJECT) throw new MalformedValueError('has no metadata');
  let place = open + 1;
  let at = place;
  if (value[at] === CLOSE_OBJECT) return { at, first: true, empty: true };
  for (;;) {
    const keyEnd = stringEnd(value, at);
    const key = value.toString('latin1', at + 1, keyEnd - 1);
    if (!BEFORE_VERSION.has(key)) break;
    at = valueEnd(value, keyEnd + 1);
    place = at;
    if (value[at] !== COMMA) break;
    at++;
  }
  return { at: place, first: place === open + 1, empty: false };
}

/** The position after the string that starts at `start`. */
function stringEnd(value: Buffer, start: number): number {
  if (value[start] !== QUOTE) throw new MalformedValueError('is not JSON');
  for (let at = start + 1; at < value.length; at++) {
    const byte = value[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  throw new MalformedValueError('is not JSON');
}

/** The position after the value that starts at `start`. */
function valueEnd(value: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < value.length) {
    const byte = value[at];
    if (byte === QUOTE) {
      at = stringEnd(value, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
    at++;
  }
  throw new MalformedValueError('is not JSON');
}

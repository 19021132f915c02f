import { posix } from 'node:path';
import { badRequest } from '#base/errors/status-error.ts';
import { goPrint } from '#base/json/go-print.ts';
import { isObject, JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { parseJson } from '#base/json/parse.ts';
import { member } from '#schema/patch/members.ts';
import { typeName } from '#schema/patch/patch-errors.ts';

/**
 * The position of a paged list: its revision (negative means the most recent), and the key of the collection at which
 * it starts.
 */
export interface ContinuePoint {
  readonly revision: number;
  /** The start key, relative to the collection. It is included. */
  readonly start: string;
}

function refuse(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** The start of the page after `lastKey`: the smallest key above it. */
export function after(lastKey: string): string {
  return `${lastKey}\0`;
}

/**
 * A token: Base64url of `{"v","rv","start"}`. It is part of the interface, because clients write tokens too. `version`
 * is `meta.D/v1`.
 */
export function encodeContinue(point: ContinuePoint, version: string): string {
  const json = JSON.stringify({ v: version, rv: point.revision, start: point.start });
  return Buffer.from(json).toString('base64url');
}

/**
 * Reads a token.
 *
 * @throws StatusError (400) if it cannot be decoded, has another version, or starts outside of the collection
 */
export function decodeContinue(token: string, version: string): ContinuePoint {
  const { v, rv, start } = decoded(token);
  if (v !== version) throw refuse(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refuse(`incorrect encoded start resourceVersion (version ${version})`);
  if (start === '') throw refuse(`encoded start key empty (version ${version})`);
  const key = start.startsWith('/') ? start : `/${start}`;
  if (posix.normalize(key) !== key) throw refuse(start);
  return { revision: rv, start: key.slice(1) };
}

/** The values of a token. Missing ones are empty. */
function decoded(token: string): { v: string; rv: number; start: string } {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  if (wrong >= 0 || token.length % 4 === 1) {
    throw refuse(`illegal base64 data at input byte ${wrong >= 0 ? wrong : token.length - 1}`);
  }
  let value: JsonValue;
  try {
    ({ value } = parseJson(Buffer.from(token, 'base64url')));
  } catch (error) {
    if (error instanceof MalformedBodyError) throw refuse(error.message);
    throw error;
  }
  const mistyped = (what: string, where: string) => refuse(`json: cannot unmarshal ${what} into Go ${where}`);
  if (value !== null && !isObject(value)) throw mistyped(typeName(value), 'value of type storage.continueToken');
  const field = (name: string) => (value === null ? null : (member(value, name) ?? null));
  const text = (name: string) => {
    const found = field(name) ?? '';
    if (typeof found !== 'string') throw mistyped(typeName(found), `struct field continueToken.${name} of type string`);
    return found;
  };
  const rv = field('rv') ?? 0;
  if (!Number.isSafeInteger(rv)) throw mistyped(shownType(rv), 'struct field continueToken.rv of type int64');
  return { v: text('v'), rv: rv as number, start: text('start') };
}

/** The type of a JSON value, with the text of a number. */
function shownType(value: JsonValue): string {
  if (typeof value === 'number' || value instanceof JsonNumber) return `number ${goPrint(value)}`;
  return typeName(value);
}

import { badRequest } from '../errors/status-error.ts';

/** Where a paged list goes on: at this revision (negative: the most recent), from this key of the collection on. */
export interface ContinuePoint {
  readonly revision: number;
  /** Relative to the collection; inclusive. */
  readonly start: string;
}

function refuse(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** The start of the page after `lastKey`: the smallest key above it. */
export function after(lastKey: string): string {
  return `${lastKey}\0`;
}

/** Base64url of `{"v","rv","start"}`: part of the interface, since clients write their own. `version` is `meta.D/v1`. */
export function encodeContinue(point: ContinuePoint, version: string): string {
  const json = JSON.stringify({ v: version, rv: point.revision, start: point.start });
  return Buffer.from(json).toString('base64url');
}

/** Reads a token. Throws 400 where it does not decode, is of another version or starts outside the collection. */
export function decodeContinue(token: string, version: string): ContinuePoint {
  if (!/^[A-Za-z0-9_-]*$/.test(token) || token.length % 4 === 1) throw refuse('illegal base64 data at input byte 0');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    throw refuse('invalid character looking for beginning of value');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('not an object');
  const { v, rv, start } = value as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== version) throw refuse(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (rv === undefined || rv === 0 || !Number.isSafeInteger(rv)) {
    throw refuse(`incorrect encoded start resourceVersion (version ${version})`);
  }
  if (typeof start !== 'string' || start === '') throw refuse(`empty start (version ${version})`);
  const inside = start.startsWith('/') ? start.slice(1) : start;
  if (inside.startsWith('/') || inside.split('/').some((part) => part === '..' || part === '.')) throw refuse(start);
  return { revision: rv as number, start: inside };
}

import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';

/** The largest length of a token. A longer token is ignored. */
const MAX_LENGTH = 64 << 10;

/** The claims of a signed token, without verification; undefined if it is not such a token. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  const parts = token.length > MAX_LENGTH ? [] : token.split('.');
  return parts.length === 3 ? parseObject(Buffer.from(parts[1] ?? '', 'base64url')) : undefined;
}

/** A JSON object from bytes; undefined if the bytes are not a JSON object. */
export function parseObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A claim that must be a text; '' if it is not a text. */
export function textClaim(claims: JsonObject | undefined, name: string): string {
  const value = claims === undefined ? undefined : own(claims, name);
  return typeof value === 'string' ? value : '';
}

/** A claim that must be an object. */
export function objectClaim(claims: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = claims === undefined ? undefined : own(claims, name);
  return isObject(value) ? value : undefined;
}

/** A claim that must be a time, in milliseconds. */
export function timeClaim(claims: JsonObject, name: string): number | undefined {
  const value = own(claims, name);
  return typeof value === 'number' && Number.isFinite(value) ? value * 1000 : undefined;
}

/** A claim that is a text or a list of texts. */
export function listClaim(claims: JsonObject, name: string): string[] | undefined {
  const value = own(claims, name);
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  return value.every((element) => typeof element === 'string') ? value : undefined;
}

/** The value of a claim. Inherited members of the object do not count. */
export function own(claims: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

import { badRequest } from '#base/errors/status-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { member } from './members.ts';
import { malformed, typeName } from './patch-errors.ts';

/**
 * Applies a JSON merge patch (RFC 7396) to an object. Null removes a member, objects merge, and all other values
 * replace. Objects inside a new list lose their null members, unless the list replaces an object. Neither argument is
 * changed.
 *
 * @throws StatusError (400) for a patch that is not an object
 * @example applyMergePatch({ a: 1, b: 2 }, { a: null, c: 3 }) // => { b: 2, c: 3 }
 */
export function applyMergePatch(live: JsonObject, patch: JsonValue): JsonObject {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(patch)) {
    throw malformed(`json: cannot unmarshal ${typeName(patch)} into Go value of type map[string]interface {}`);
  }
  return merge(live, patch);
}

function merge(target: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...target };
  for (const name of Object.keys(patch)) {
    const value = patch[name]!;
    if (value === null) {
      delete result[name];
    } else if (isObject(value)) {
      const current = member(result, name);
      setKey(result, name, merge(isObject(current) ? current : {}, value));
    } else {
      setKey(result, name, isObject(member(result, name)) ? value : withoutNulls(value));
    }
  }
  return result;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  return isObject(value) ? merge({}, value) : value;
}

/**
 * The merge patch that turns `before` into `after`; `{}` if they are equal. A null member of `after` counts as missing,
 * because a merge patch cannot set null.
 *
 * @example createMergePatch({ a: 1, b: 2 }, { b: 3 }) // => { a: null, b: 3 }
 */
export function createMergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) setKey(patch, name, null);
  }
  for (const [name, value] of Object.entries(after)) {
    const previous = member(before, name);
    if (isObject(previous) && isObject(value)) {
      const inner = createMergePatch(previous, value);
      if (Object.keys(inner).length > 0) setKey(patch, name, inner);
    } else if (!jsonEqual(previous, value)) {
      setKey(patch, name, value);
    }
  }
  return patch;
}

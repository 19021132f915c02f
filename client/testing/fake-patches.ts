import { cloneJson } from '#base/json/clone-json.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject } from '#base/json/json-value.ts';
import { ApiError } from '../errors.ts';

/** A merge patch (RFC 7386). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const base = isObject(target) ? target : {};
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

/** One step of a JSON patch. */
export interface JsonPatchStep {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/**
 * Applies a JSON patch (RFC 6902) with the operations `test`, `add`, `replace` and `remove`.
 *
 * @throws ApiError
 */
export function jsonPatch(target: unknown, steps: readonly JsonPatchStep[]): unknown {
  const result = cloneJson(target) as Record<string, unknown>;
  for (const { op, path, value } of steps) {
    const parts = path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = parts.pop()!;
    const parent = at(result, parts) as Record<string, unknown> | unknown[];
    const fail = () => {
      throw new ApiError(422, { code: 422, reason: 'Invalid', message: `${op} ${path} does not apply` });
    };
    if (parent === undefined) fail();
    if (op === 'test') {
      if (!jsonEqual(at(parent, [last]), value)) fail();
    } else if (Array.isArray(parent)) {
      const index = last === '-' ? parent.length : Number(last);
      if (op === 'remove') parent.splice(index, 1);
      else parent.splice(index, op === 'replace' ? 1 : 0, value);
    } else if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return result;
}

/** The value at a path of names. */
export function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}

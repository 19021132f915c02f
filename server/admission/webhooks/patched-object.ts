import { internalError, StatusError } from '#base/errors/status-error.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { parseJson } from '#base/json/parse.ts';
import { DecodeError } from '#schema/objects/decode.ts';
import { applyJsonPatch } from '#schema/patch/json-patch.ts';
import { InapplicablePatch, typeName } from '#schema/patch/patch-errors.ts';

/**
 * The operations of a webhook's patch; undefined if there are none.
 *
 * @throws StatusError (500) if the patch is not a list
 */
export function readPatch(text: string): JsonValue[] | undefined {
  if (text === '') return undefined;
  let value: JsonValue;
  try {
    value = parseJson(text).value;
  } catch (error) {
    if (error instanceof MalformedBodyError) throw internalError(error.message);
    throw error;
  }
  if (value === null) return undefined;
  if (!Array.isArray(value))
    throw internalError(`json: cannot unmarshal ${typeName(value)} into Go value of type jsonpatch.Patch`);
  return value.length === 0 ? undefined : value;
}

/**
 * Applies a webhook's patch to an object. If the patch removes the kind or the version, they are restored.
 *
 * @throws StatusError (500) if it cannot be applied or turns the object into another kind
 */
export function patched(object: JsonObject, operations: JsonValue[]): JsonObject {
  const result = orInternal(() => applyJsonPatch(object, operations));
  for (const field of ['kind', 'apiVersion']) {
    result[field] ||= object[field]!;
    if (result[field] !== object[field]) throw internalError(`the patch changes the object's ${field}`);
  }
  return result;
}

/** Runs a step in which all errors are faults of the webhook. For the client they become errors of the server. */
export async function orInternalSoon<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw asInternal(error);
  }
}

function orInternal<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw asInternal(error);
  }
}

function asInternal(error: unknown): unknown {
  if (error instanceof InapplicablePatch) return internalError(error.why);
  if (error instanceof DecodeError) return internalError(error.detail);
  return error instanceof StatusError ? internalError(error.message) : error;
}

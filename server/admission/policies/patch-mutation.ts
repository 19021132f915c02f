import { internalError, StatusError } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { applyJsonPatch } from '#schema/patch/json-patch.ts';
import { FailedTest, InapplicablePatch } from '#schema/patch/patch-errors.ts';
import { CelList, type CelValue, Message, typeNameOf } from '../../expressions/cel-value.ts';
import { jsonOf } from '../../expressions/json-of-value.ts';
import { checkNames, MutationError } from './made-object.ts';

/**
 * Applies a patch that an expression created to an object, without changing the argument. Returns the object itself if
 * a test of the patch fails.
 * @throws MutationError if the patch cannot be applied
 * @throws EvaluationError if a value in it has no JSON form
 * @throws StatusError (500) if the result has another kind
 */
export function carryOut(live: JsonObject, value: CelValue): JsonObject {
  const operations = operationsOf(value);
  let result: JsonObject;
  try {
    result = applyJsonPatch(live, operations);
  } catch (error) {
    if (error instanceof FailedTest) return live;
    if (error instanceof InapplicablePatch) throw new MutationError(`JSON Patch: ${error.why}`);
    if (error instanceof StatusError) throw new MutationError(`JSON Patch: ${error.message}`);
    throw error;
  }
  result.kind ||= live.kind!;
  result.apiVersion ||= live.apiVersion!;
  if (result.kind !== live.kind || result.apiVersion !== live.apiVersion) {
    const { group } = versionOf(String(live.apiVersion));
    const other = `${versionOf(String(result.apiVersion)).version}.${String(result.kind)}`;
    const own = `${group === '' ? 'core' : group.split('.', 1)[0]}.${String(live.kind)}`;
    throw internalError(`failed to convert object: converting (${other}) to (${own}): unknown conversion`);
  }
  return result;
}

function versionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

function operationsOf(value: CelValue): JsonObject[] {
  if (!(value instanceof CelList)) {
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array');
  }
  return [...value].map((step) => {
    if (!(step instanceof Message)) {
      const why = `JSONPatchType.expression should evaluate to array of JSONPatch, got element of ${typeNameOf(step)}`;
      throw new MutationError(`type mismatch: ${why}`);
    }
    const given = step.get('value');
    if (given !== undefined) checkNames(given);
    const from = step.get('from') ?? '';
    return {
      op: jsonOf(step.get('op') ?? ''),
      path: jsonOf(step.get('path') ?? ''),
      ...(from !== '' && { from: jsonOf(from) }),
      ...(given !== undefined && { value: jsonOf(given) }),
    };
  });
}

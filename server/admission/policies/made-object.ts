import type { JsonObject } from '#base/json/json-value.ts';
import { CelList, type CelValue, isMap, Message, typeNameOf } from '../../expressions/cel-value.ts';
import { jsonOf } from '../../expressions/json-of-value.ts';
import { APPLIED } from '../../expressions/messages.ts';

/** The error that a change cannot be made. The `failurePolicy` of the policy decides the result. */
export class MutationError extends Error {}

/**
 * The fields that a mutation applies, as JSON.
 * @throws MutationError if the value is not an `Object{...}`, or if a part of it has a wrong type name
 * @throws EvaluationError if the value has no JSON form
 */
export function appliedFields(value: CelValue): JsonObject {
  if (!(value instanceof Message) || value.typeName !== APPLIED) {
    throw new MutationError(`unsupported return type from ApplyConfiguration expression: ${typeNameOf(value)}`);
  }
  checkNames(value);
  return jsonOf(value) as JsonObject;
}

/**
 * Checks the type names of the parts of an object. They consist of the fields that lead to the part: in `ports` of
 * `Object.spec` there is `Object.spec.ports`.
 * @throws MutationError for a part with another type name
 */
export function checkNames(value: CelValue): void {
  if (!(value instanceof Message)) return;
  const problems: string[] = [];
  collect(value, value.typeName, problems);
  if (problems.length > 0) throw new MutationError(`type mismatch: ${problems.join('\n')}`);
}

/** Only messages that the expression created are checked, because values of existing objects contain none. */
function collect(value: CelValue, name: string, problems: string[]): void {
  if (value instanceof Message) {
    if (value.typeName !== name) {
      const expected = `expected "${name}", which matches field name path from root Object type`;
      problems.push(`unexpected type name "${value.typeName}", ${expected}`);
    }
    for (const field of value.keys()) collect(value.get(field)!, `${name}.${field}`, problems);
  } else if (value instanceof CelList) {
    if (value.isMade) for (const item of value) collect(item, name, problems);
  } else if (isMap(value) && value.isMade) {
    for (const key of value.keys()) collect(value.get(key)!, name, problems);
  }
}

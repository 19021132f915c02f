import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { ApplyType, ObjectSchema } from '#schema/apply/apply-type.ts';
import { ListItemError } from '#schema/apply/list-element.ts';
import { merge } from '#schema/apply/merge.ts';
import { memberElement, type PathElement, pathText } from '#schema/apply/path-element.ts';
import { TypedError, validateTyped } from '#schema/apply/validate-typed.ts';
import { itemsOf, membersOf } from '#schema/apply/value.ts';
import type { CelValue } from '../../expressions/cel-value.ts';
import { appliedFields, MutationError } from './made-object.ts';

/**
 * Applies fields that an expression made to an object. They replace its fields, and all other fields stay. Neither
 * argument is changed.
 * @param schema the schema of the object's fields; undefined if it is unknown
 * @throws MutationError if the fields do not fit, or set parts of an atomic value
 * @throws EvaluationError if the fields have no JSON form
 */
export function applyFields(live: JsonObject, value: CelValue, schema: ObjectSchema | undefined): JsonObject {
  const { kind, apiVersion } = live as { kind: string; apiVersion: string };
  const fields: JsonObject = { ...appliedFields(value), kind, apiVersion };
  if (schema === undefined) {
    const why = `no corresponding type for ${apiVersion}, Kind=${kind}`;
    throw cannot(`failed to convert patch object to typed object: ${why}`);
  }
  const { type } = schema;
  checkTyped(fields, type, 'refused', 'failed to convert patch object to typed object');
  const whole: string[] = [];
  collectWhole(fields, type, [], whole);
  if (whole.length > 0) {
    throw cannot(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${whole.join(', ')}`);
  }
  checkTyped(live, type, 'passed-over', 'failed to convert original object to typed object');
  return merge(live, fields, type) as JsonObject;
}

function cannot(why: string): MutationError {
  return new MutationError(`error applying patch: ${why}`);
}

function checkTyped(value: JsonObject, type: ApplyType, undeclared: 'refused' | 'passed-over', what: string): void {
  try {
    validateTyped(value, type, undeclared);
  } catch (error) {
    if (error instanceof TypedError || error instanceof ListItemError) throw cannot(`${what}: ${error.message}`);
    throw error;
  }
}

/** Paths inside a value that has a single owner as a whole. Members without a declared field are left out. */
function collectWhole(value: JsonValue, type: ApplyType, path: readonly PathElement[], found: string[]): void {
  if (type.kind === 'object') {
    const members = membersOf(value);
    if (members === undefined) return;
    if (type.atomic) found.push(pathText(path));
    for (const name of Object.keys(members).sort()) {
      const field = type.fields.get(name);
      if (field !== undefined) collectWhole(members[name]!, field, [...path, memberElement(name)], found);
    }
  } else if (type.kind === 'list') {
    const items = itemsOf(value);
    if (items === undefined) return;
    if (type.relation === 'atomic') found.push(pathText(path));
    for (const [i, item] of items.entries()) collectWhole(item, type.item, [...path, `i:${i}`], found);
  }
}

import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';

/**
 * The differences between the objects of a removed version and of its successor. All functions change their argument.
 * They do not change values of unexpected types, because the decoder reports those later.
 */
export interface RemovedForm {
  /**
   * Converts an object as a user wrote it to the form of the successor. First it fills in the defaults of the removed
   * version.
   */
  readonly toSuccessor?: (object: JsonObject, naming: Naming) => void;
  /**
   * Removes from a completed object the defaults that only the successor has. `given` is the result of `toSuccessor`.
   */
  readonly undo?: (object: JsonObject, given: JsonObject) => void;
  /** Gives an object of the successor the form of the removed version. Fields stay in their places. */
  readonly fromSuccessor?: (object: JsonObject, naming: Naming) => void;
}

/** The object at a path of fields; undefined if it is missing. */
export function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  let value: JsonValue | undefined = object;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return isObject(value) ? value : undefined;
}

/** The objects in the list of a field; none if the field is not a list. */
export function objectsIn(object: JsonObject | undefined, field: string): readonly JsonObject[] {
  const list = object?.[field];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Replaces each field of an object by the fields that `fieldsOf` gives for it. They take the place of the field. */
export function rewrite(
  object: JsonObject | undefined,
  fieldsOf: (key: string, value: JsonValue) => readonly (readonly [string, JsonValue])[],
): void {
  if (object === undefined) return;
  const fields = Object.entries(object).flatMap(([key, value]) => fieldsOf(key, value));
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, Object.fromEntries(fields));
}

/**
 * Renames a field. An existing field with the new name is dropped, because the object's version does not have that
 * field.
 *
 * @example rename(spec, 'serviceName', 'name'); // { serviceName: 'web' } is { name: 'web' } now
 */
export function rename(object: JsonObject | undefined, from: string, to: string): void {
  rewrite(object, (key, value) => {
    if (key === to) return [];
    return [[key === from ? to : key, value]];
  });
}

/** Leaves out fields without a value, because the removed version does not write them. */
export function dropEmpty(object: JsonObject | undefined, ...fields: readonly string[]): void {
  for (const field of fields) if (object?.[field] === null) delete object[field];
}

/**
 * Sets a field that has no value.
 *
 * @example fill(spec, 'replicas', 1); // spec.replicas is 1 where it had no value
 */
export function fill(object: JsonObject, field: string, value: JsonValue): void {
  object[field] ??= value;
}

/** The object of a field. It is created if it is missing. Undefined if the field has another value. */
export function made(object: JsonObject | undefined, field: string): JsonObject | undefined {
  if (object === undefined) return undefined;
  const value = (object[field] ??= {});
  return isObject(value) ? value : undefined;
}

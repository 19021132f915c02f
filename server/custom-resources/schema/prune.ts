import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The members of every object, with any schema. */
const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The largest number of reported names. More would not help the reader of a warning. */
export const MAX_REPORTED = 1000;

/**
 * Removes fields that the schema does not name, in place. With `report` it returns the sorted paths of the removed
 * fields (`spec.l[0].q`).
 */
export function pruneObject(schema: StructuralSchema, object: JsonObject, report = false): string[] {
  const walk = new PruneWalk(report);
  walk.members(schema, object, true, schema.preserve);
  return walk.unknown.sort();
}

/**
 * Applies {@link pruneObject} and {@link pruneNulls} to an object that is stored. Returns whether something was
 * removed.
 */
export function pruneStored(schema: StructuralSchema, object: JsonObject): boolean {
  const walk = new PruneWalk(false);
  walk.members(schema, object, true, schema.preserve);
  return pruneNulls(schema, object) || walk.removed;
}

/** Like {@link pruneObject}, for a value inside an object. */
export function pruneValue(schema: StructuralSchema, value: JsonValue): void {
  new PruneWalk(false).value(schema, value);
}

class PruneWalk {
  readonly unknown: string[] = [];
  removed = false;
  readonly #path: (string | number)[] = [];
  readonly #report: boolean;

  constructor(report: boolean) {
    this.#report = report;
  }

  /** Prunes a value. A value without a schema is unknown, so its objects lose all fields. */
  value(schema: StructuralSchema | undefined, value: JsonValue): void {
    if (Array.isArray(value)) this.items(schema, value);
    else if (isObject(value)) this.members(schema, value, schema?.embedded === true, schema?.preserve === true);
  }

  items(schema: StructuralSchema | undefined, list: readonly JsonValue[]): void {
    const items = schema?.items;
    if (items === undefined && schema?.preserve === true) return;
    for (let i = 0; i < list.length; i++) {
      const item = list[i]!;
      if (typeof item !== 'object' || item === null) continue;
      this.#path.push(i);
      this.value(items, item);
      this.#path.pop();
    }
  }

  members(schema: StructuralSchema | undefined, object: JsonObject, isResource: boolean, keeps: boolean): void {
    for (const name of Object.keys(object)) {
      if (isResource && META_FIELDS.has(name)) continue;
      const property = schema?.properties.get(name);
      if (property === undefined && schema?.additional === undefined) {
        if (!keeps) this.#remove(object, name);
        continue;
      }
      const value = object[name]!;
      if (typeof value !== 'object' || value === null) continue;
      const { additional } = schema!;
      this.#path.push(name);
      this.value(property ?? (typeof additional === 'object' ? additional : undefined), value);
      this.#path.pop();
    }
  }

  #remove(object: JsonObject, name: string): void {
    delete object[name];
    this.removed = true;
    if (!this.#report || this.unknown.length >= MAX_REPORTED) return;
    let path = '';
    for (const step of [...this.#path, name]) {
      if (typeof step === 'number') path += `[${step}]`;
      else path += path === '' ? step : `.${step}`;
    }
    this.unknown.push(path);
  }
}

/** Removes nulls without a meaning, in place. They are in fields that are not nullable and have no default. */
export function pruneNulls(schema: StructuralSchema, value: JsonValue): boolean {
  let removed = false;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return false;
    for (const item of value) {
      if (typeof item === 'object' && item !== null && pruneNulls(items, item)) removed = true;
    }
    return removed;
  }
  if (!isObject(value)) return false;
  const { properties, additional } = schema;
  for (const name in value) {
    const property = properties.get(name) ?? (typeof additional === 'object' ? additional : undefined);
    if (property === undefined) continue;
    const member = value[name]!;
    if (member === null) {
      if (property.nullable || property.hasDefault) continue;
      delete value[name];
      removed = true;
    } else if (typeof member === 'object' && pruneNulls(property, member)) removed = true;
  }
  return removed;
}

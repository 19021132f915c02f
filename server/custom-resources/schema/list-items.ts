import { isScalar, scalarText } from '../../apply/value.ts';
import { type FieldError, FieldPath, fieldError, invalidValue } from '../../errors/field-error.ts';
import { isObject, type JsonValue } from '../../json/json-value.ts';
import { stringify } from '../../json/stringify.ts';
import { goSyntax } from './go-syntax.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** What is wrong with lists whose items must differ: sets, and maps by their keys. Each repeated item is told once. */
export function validateListItems(schema: StructuralSchema, value: JsonValue, path = new FieldPath()): FieldError[] {
  if (!schema.holds.keyedLists || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return listErrors(schema, value, path);
  if (!isObject(value)) return [];
  const { properties, additional } = schema;
  return Object.keys(value).flatMap((name) => {
    const property = properties.get(name);
    if (property !== undefined) return validateListItems(property, value[name]!, path.child(name));
    return typeof additional === 'object' ? validateListItems(additional, value[name]!, path.key(name)) : [];
  });
}

function listErrors(schema: StructuralSchema, list: readonly JsonValue[], path: FieldPath): FieldError[] {
  const { items, listType, listMapKeys } = schema;
  const keyless = listType === 'map' ? list.findIndex((item) => item !== null && !isObject(item)) : -1;
  const errors: FieldError[] = [];
  if (keyless >= 0) errors.push(noObject(list[keyless]!, path.index(keyless)));
  else if (listType !== 'atomic') {
    const textOf = listType === 'set' ? itemText : (item: JsonValue) => keyText(item, listMapKeys);
    for (const i of repeated(list, textOf)) {
      const shown = shownItem(list[i]!, schema);
      errors.push(fieldError('FieldValueDuplicate', path.index(i), `Duplicate value: ${shown}`));
    }
  }
  if (items !== undefined) {
    for (let i = 0; i < list.length; i++) errors.push(...validateListItems(items, list[i]!, path.index(i)));
  }
  return errors;
}

/** Items of a list that is a map have keys. */
function noObject(item: JsonValue, path: FieldPath): FieldError {
  return invalidValue(path, item, 'must be an object for an array of list-type map');
}

/** The places of items that repeat one before them, each item once. */
function repeated(list: readonly JsonValue[], textOf: (item: JsonValue) => string): number[] {
  const count = new Map<string, number>();
  const places: number[] = [];
  list.forEach((item, i) => {
    const text = textOf(item);
    const before = count.get(text) ?? 0;
    if (before === 1) places.push(i);
    count.set(text, before + 1);
  });
  return places;
}

/** One text for equal values. */
function itemText(item: JsonValue): string {
  if (isScalar(item)) return scalarText(item);
  if (Array.isArray(item)) return `[${item.map(itemText).join(',')}]`;
  const names = Object.keys(item).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${itemText(item[name]!)}`).join(',')}}`;
}

/** An item that is null has no keys. */
function keyText(item: JsonValue, keys: readonly string[]): string {
  const members = isObject(item) ? item : {};
  return keys.map((key) => (Object.hasOwn(members, key) ? itemText(members[key]!) : '')).join(',');
}

function shownItem(item: JsonValue, { listType, listMapKeys }: StructuralSchema): string {
  if (listType === 'map') {
    const members = isObject(item) ? item : {};
    const keys = listMapKeys.filter((key) => Object.hasOwn(members, key));
    return goSyntax(Object.fromEntries(keys.map((key) => [key, members[key]!])));
  }
  if (item === null) return '"null"';
  return typeof item === 'object' ? goSyntax(item) : stringify(item);
}

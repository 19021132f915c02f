import { type FieldError, FieldPath, fieldError, invalidValue } from '#base/errors/field-error.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Checks, CheckWork } from './check-work.ts';
import { goSyntax } from './go-syntax.ts';
import { itemText } from './item-text.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { MAX_ERRORS } from './value-errors.ts';

/** The work for each item, and for each of its keys or characters, in steps. */
const ITEM_WORK = 30;
const KEY_WORK = 15;
/** The largest number of items between two charges. */
const PIECE = 200;

/**
 * Checks lists whose items must differ: sets, and keyed lists by their keys. Each repeated item gives one error. The
 * walk pauses so that other requests run.
 * @throws OverWorkError if the checks cost more than the rest of `work`
 */
export function* validateListItems(
  schema: StructuralSchema,
  value: JsonValue,
  work: CheckWork,
  path = new FieldPath(),
): Checks<FieldError[]> {
  const errors: FieldError[] = [];
  yield* checkLists(schema, value, path, work, errors);
  return errors;
}

function* checkLists(
  schema: StructuralSchema,
  value: JsonValue,
  path: FieldPath,
  work: CheckWork,
  errors: FieldError[],
): Checks<void> {
  if (!mayRepeat(schema, value)) return;
  if (Array.isArray(value)) {
    yield* checkList(schema, value, path, work, errors);
    const { items } = schema;
    if (items?.holds.keyedLists !== true) return;
    for (let i = 0; i < value.length; i++) {
      work.charge(1);
      if (mayRepeat(items, value[i]!)) yield* checkLists(items, value[i]!, path.index(i), work, errors);
    }
    return;
  }
  if (!isObject(value)) return;
  const { properties, additional } = schema;
  for (const name of Object.keys(value)) {
    work.charge(KEY_WORK);
    const property = properties.get(name) ?? additional;
    if (typeof property !== 'object' || !mayRepeat(property, value[name]!)) continue;
    const place = properties.has(name) ? path.child(name) : path.key(name);
    yield* checkLists(property, value[name]!, place, work, errors);
  }
}

function mayRepeat(schema: StructuralSchema, value: JsonValue): boolean {
  return schema.holds.keyedLists && typeof value === 'object' && value !== null;
}

function* checkList(
  schema: StructuralSchema,
  list: readonly JsonValue[],
  path: FieldPath,
  work: CheckWork,
  errors: FieldError[],
): Checks<void> {
  const { listType, listMapKeys } = schema;
  if (listType === 'atomic') return;
  const keyless = listType === 'map' ? list.findIndex((item) => item !== null && !isObject(item)) : -1;
  if (keyless >= 0) {
    errors.push(noObject(list[keyless]!, path.index(keyless)));
    return;
  }
  const textOf = listType === 'set' ? itemText : (item: JsonValue) => keyText(item, listMapKeys);
  const itemWork = ITEM_WORK + (listType === 'map' ? listMapKeys.length * KEY_WORK : 0);
  const piece = Math.max(1, Math.floor(PIECE / (listMapKeys.length + 1)));
  const count = new Map<string, number>();
  for (let i = 0; i < list.length; i++) {
    if (i % piece === 0) {
      work.charge(Math.min(piece, list.length - i) * itemWork);
      if (work.isDue) {
        yield;
        work.resumed();
      }
    }
    const text = textOf(list[i]!);
    work.charge(text.length / 2);
    const before = count.get(text) ?? 0;
    count.set(text, before + 1);
    if (before !== 1 || errors.length >= MAX_ERRORS) continue;
    const error = fieldError('FieldValueDuplicate', path.index(i), `Duplicate value: ${shownItem(list[i]!, schema)}`);
    work.charge(error.text.length * KEY_WORK);
    errors.push(error);
  }
}

/** The error about an item without keys. Items of a list that is a map must be objects. */
function noObject(item: JsonValue, path: FieldPath): FieldError {
  return invalidValue(path, item, 'must be an object for an array of list-type map');
}

/** The text of an item's keys. A null item has no keys. */
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

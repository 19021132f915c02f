import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { type ApplyType, DEDUCED } from '#schema/apply/apply-type.ts';
import type { FieldSet } from '#schema/apply/field-set.ts';
import { ListItemError, listElement } from '#schema/apply/list-element.ts';
import { memberName, type PathElement } from '#schema/apply/path-element.ts';

/** The path of a field. */
export type FieldPath = readonly PathElement[];

/**
 * The value at a path; undefined if the path does not exist.
 *
 * @example valueAt({ spec: { a: 1 } }, DEDUCED, ['f:spec', 'f:a']) // => 1
 */
export function valueAt(value: JsonValue | undefined, type: ApplyType, path: FieldPath): JsonValue | undefined {
  let [at, of]: [JsonValue | undefined, ApplyType] = [value, type];
  for (const element of path) {
    const name = memberName(element);
    if (name !== undefined) at = at !== undefined && isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    else at = Array.isArray(at) ? at[placeOf(at, of, element)] : undefined;
    of = typeBelow(of, element);
  }
  return at;
}

/**
 * A copy of a value with `put` at a path. The function creates missing parts of the path. A new item of a list gets the
 * keys that the path names. If `put` is undefined, the copy has no value at the path.
 */
export function withValueAt(
  value: JsonValue | undefined,
  type: ApplyType,
  [element, ...rest]: FieldPath,
  put: JsonValue | undefined,
): JsonValue | undefined {
  if (element === undefined) return put;
  const name = memberName(element);
  const below = typeBelow(type, element);
  if (name !== undefined) {
    const before: JsonObject = value !== undefined && isObject(value) ? value : {};
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const next = withValueAt(old, below, rest, put);
    const copy: JsonObject = {};
    for (const [key, each] of Object.entries(before)) if (key !== name) setKey(copy, key, each);
    if (next !== undefined) setKey(copy, name, next);
    return copy;
  }
  const items = Array.isArray(value) ? [...value] : [];
  const place = placeOf(items, type, element);
  const old = items[place] ?? itemOf(element);
  const next = withValueAt(old, below, rest, put);
  if (next === undefined) {
    if (place >= 0) items.splice(place, 1);
  } else if (place < 0) items.push(next);
  else items[place] = next;
  return items;
}

/** The paths of a set that are not below another path of the set. */
export function highestPaths(set: FieldSet): readonly FieldPath[] {
  const found: FieldPath[] = [];
  const walk = (nodes: FieldSet['nodes'], above: FieldPath): void => {
    for (const [element, { member, children }] of nodes) {
      const path = [...above, element];
      if (member) found.push(path);
      else if (children !== undefined) walk(children.nodes, path);
    }
  };
  walk(set.nodes, []);
  return found;
}

/** Whether one path is the beginning of the other, or both are the same. */
export function meet(a: FieldPath, b: FieldPath): boolean {
  return a.every((element, at) => at >= b.length || element === b[at]);
}

function typeBelow(type: ApplyType, element: PathElement): ApplyType {
  if (type.kind === 'list') return type.item;
  const name = memberName(element);
  if (type.kind !== 'object' || name === undefined) return DEDUCED;
  return type.fields.get(name) ?? type.others ?? DEDUCED;
}

function placeOf(items: readonly JsonValue[], type: ApplyType, element: PathElement): number {
  if (element.startsWith('i:')) return Number(element.slice(2));
  if (type.kind !== 'list') return -1;
  return items.findIndex((item) => {
    try {
      return listElement(type, item) === element;
    } catch (error) {
      // An item without keys does not match.
      if (error instanceof ListItemError) return false;
      throw error;
    }
  });
}

/** A new item of a list. Its path element contains the keys of the item, or its value. */
function itemOf(element: PathElement): JsonValue | undefined {
  return element.startsWith('k:') || element.startsWith('v:') ? (JSON.parse(element.slice(2)) as JsonValue) : undefined;
}

import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { type ApplyType, DEDUCED, type ListApplyType } from './apply-type.ts';
import type { FieldSet } from './field-set.ts';
import { listElement } from './list-element.ts';
import { memberElement } from './path-element.ts';
import { isBare, itemsOf, membersOf } from './value.ts';

/**
 * A value without the members and items at the given paths; null if none remains. Parts of a value that is owned as a
 * whole cannot be removed. The value is not changed. The result shares its parts. If nothing is removed, it is the
 * value itself.
 *
 * @example removeItems({ a: 1, b: 2 }, FieldSet.ofMembers(['b']), DEDUCED) // => { a: 1 }
 */
export function removeItems(value: JsonValue, paths: FieldSet, type: ApplyType): JsonValue {
  switch (type.kind) {
    case 'leaf':
      return value;
    case 'list':
      return type.relation === 'atomic' ? value : withoutItems(value, paths, type);
    case 'object':
      return type.atomic
        ? value
        : withoutMembers(value, paths, (name) => type.fields.get(name) ?? type.others ?? DEDUCED);
    case 'deduced':
      return withoutMembers(value, paths, () => DEDUCED);
  }
}

function withoutMembers(value: JsonValue, paths: FieldSet, typeOf: (name: string) => ApplyType): JsonValue {
  const members = membersOf(value);
  if (members === undefined) return value;
  let changed = false;
  const left: JsonObject = {};
  for (const name of Object.keys(members)) {
    const before = members[name]!;
    const node = paths.nodes.get(memberElement(name));
    if (node?.member === true) {
      changed = true;
      continue;
    }
    const after = node?.children === undefined ? before : removeItems(before, node.children, typeOf(name));
    changed ||= after !== before;
    setKey(left, name, after);
  }
  if (!changed) return value;
  return isBare(left) ? null : left;
}

function withoutItems(value: JsonValue, paths: FieldSet, type: ListApplyType): JsonValue {
  const items = itemsOf(value);
  if (items === undefined) return value;
  const left: JsonValue[] = [];
  for (const item of items) {
    const node = paths.nodes.get(listElement(type, item));
    if (node?.member === true) continue;
    left.push(node?.children === undefined ? item : removeItems(item, node.children, type.item));
  }
  if (left.length === items.length && left.every((item, i) => item === items[i])) return value;
  return left.length === 0 ? null : left;
}

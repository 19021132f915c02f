import type { JsonValue } from '#base/json/json-value.ts';
import { type ApplyType, DEDUCED, type ListApplyType, type ObjectApplyType } from './apply-type.ts';
import { FieldSet, FieldSetBuilder } from './field-set.ts';
import { listElement } from './list-element.ts';
import { memberElement } from './path-element.ts';
import { isBare, itemsOf, membersOf } from './value.ts';

/** All fields of a value: its leaves, its list items, the keys of its maps, and empty or null members. */
export function fieldSetOf(value: JsonValue, type: ApplyType): FieldSet {
  return fieldsBelow(value, type) ?? FieldSet.empty;
}

/** Whether a value of this type is owned as a whole. */
function isLeaf(value: JsonValue, type: ApplyType): boolean {
  switch (type.kind) {
    case 'leaf':
      return true;
    case 'list':
      return type.relation === 'atomic';
    case 'object':
      return type.atomic;
    case 'deduced':
      return value !== null && membersOf(value) === undefined;
  }
}

function fieldsBelow(value: JsonValue, type: ApplyType): FieldSet | undefined {
  if (isLeaf(value, type)) return undefined;
  return type.kind === 'list'
    ? itemFields(value, type)
    : memberFields(value, type.kind === 'object' ? type : undefined);
}

function itemFields(value: JsonValue, type: ListApplyType): FieldSet | undefined {
  const fields = new FieldSetBuilder();
  for (const item of itemsOf(value) ?? []) fields.add(listElement(type, item), true, fieldsBelow(item, type.item));
  return fields.build();
}

function memberFields(value: JsonValue, type: ObjectApplyType | undefined): FieldSet | undefined {
  const members = membersOf(value);
  if (members === undefined) return undefined;
  const fields = new FieldSetBuilder();
  for (const name of Object.keys(members)) {
    const member = members[name]!;
    const declared = type?.fields.get(name);
    const memberType = type === undefined ? DEDUCED : (declared ?? type.others);
    if (memberType === undefined) continue;
    const object = membersOf(member);
    const own =
      declared === undefined ||
      member === null ||
      isLeaf(member, memberType) ||
      (object !== undefined && isBare(object));
    fields.add(memberElement(name), own, fieldsBelow(member, memberType));
  }
  return fields.build();
}

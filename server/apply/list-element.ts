import type { JsonValue } from '../json/json-value.ts';
import type { ListApplyType } from '../schema/apply-type.ts';
import { type PathElement, valueElement } from './path-element.ts';
import { isScalar, memberOf, membersOf, scalarText } from './value.ts';

/** Why an item has no place in a list that is told apart by value or keys. */
export class ListItemError extends Error {}

/** The step to an item of a set or map list. Throws {@link ListItemError} where the item does not tell. */
export function listElement(type: ListApplyType, item: JsonValue): PathElement {
  if (type.relation === 'set') {
    const element = item === null ? undefined : valueElement(item);
    if (element === undefined) throw new ListItemError('items of a set are single values');
    return element;
  }
  const members = membersOf(item);
  if (members === undefined) throw new ListItemError('items of a list with keys are objects');
  let text = 'k:{';
  for (const key of type.keys) {
    const value = memberOf(members, key.name) ?? key.default;
    if (value === undefined) throw new ListItemError(`an item leaves out its key "${key.name}", which has no default`);
    if (!isScalar(value)) throw new ListItemError(`the key "${key.name}" of an item is not a single value`);
    text += `${text.length > 3 ? ',' : ''}${JSON.stringify(key.name)}:${scalarText(value)}`;
  }
  return `${text}}`;
}

/** The items of a valid list by their steps, in their order. */
export function itemsByElement(
  type: ListApplyType,
  items: readonly JsonValue[] | undefined,
): Map<PathElement, JsonValue> {
  const found = new Map<PathElement, JsonValue>();
  for (const item of items ?? []) found.set(listElement(type, item), item);
  return found;
}

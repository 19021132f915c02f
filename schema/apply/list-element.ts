import { remembered } from '#base/collections/remembered.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import type { ListApplyType } from './apply-type.ts';
import { type PathElement, valueElement } from './path-element.ts';
import { isScalar, memberOf, membersOf, scalarText } from './value.ts';

/** The reason why an item has no place in a list that distinguishes items by value or by keys. */
export class ListItemError extends Error {}

/**
 * The step to an item of a set or map list.
 *
 * @throws ListItemError if the item lacks the value or keys that distinguish it
 */
export function listElement(type: ListApplyType, item: JsonValue): PathElement {
  if (type.relation === 'set') {
    const element = item === null ? undefined : valueElement(item);
    if (element === undefined) throw new ListItemError('items of a set are single values');
    return element;
  }
  const members = membersOf(item);
  if (members === undefined) throw new ListItemError('items of a list with keys are objects');
  const [only] = type.keys;
  const name = type.keys.length === 1 ? memberOf(members, only!.name) : undefined;
  if (typeof name === 'string') return namedElement(type, only!.name, name);
  let text = 'k:{';
  for (const key of type.keys) {
    const own = memberOf(members, key.name);
    const value = own === undefined ? key.default : own;
    if (value === undefined) throw new ListItemError(`an item leaves out its key "${key.name}", which has no default`);
    if (!isScalar(value)) throw new ListItemError(`the key "${key.name}" of an item is not a single value`);
    text += `${text.length > 3 ? ',' : ''}${JSON.stringify(key.name)}:${scalarText(value)}`;
  }
  return `${text}}`;
}

const named = new WeakMap<ListApplyType, (value: string) => PathElement>();

/**
 * The step to an item that is identified by one text. Equal texts give the same object, so sets find it without
 * hashing.
 */
function namedElement(type: ListApplyType, key: string, value: string): PathElement {
  let elements = named.get(type);
  if (elements === undefined) {
    const start = `k:{${JSON.stringify(key)}:`;
    elements = remembered((text) => `${start}${JSON.stringify(text)}}`, { most: 512, longest: 64 });
    named.set(type, elements);
  }
  return elements(value);
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

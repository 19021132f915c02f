import { isObject, JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { member } from './members.ts';

/**
 * The identity of an item in a merging list: the value of the merge key, or the item itself in a list of plain values.
 * A merge key may be null. Undefined if the item has no identity, or one that is not a plain value.
 *
 * @example identity({ name: 'web', port: 80 }, 'name') // => 'text web'
 */
export function identity(item: JsonValue, mergeKey: string | undefined): string | undefined {
  const value = mergeKey === undefined ? item : isObject(item) ? member(item, mergeKey) : undefined;
  if (value === undefined || (value === null && mergeKey === undefined)) return undefined;
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) return undefined;
  return `${typeof value === 'string' ? 'text' : 'plain'} ${String(value)}`;
}

/** The first place of each identity in a list. */
export function places(list: readonly JsonValue[], mergeKey: string | undefined): Map<string, number> {
  const found = new Map<string, number>();
  list.forEach((item, i) => {
    const id = identity(item, mergeKey);
    if (id !== undefined && !found.has(id)) found.set(id, i);
  });
  return found;
}

/**
 * Orders a merged list: the items that `patchOrder` names come in its order; the others come in that of
 * `liveOrder` and stand before the first named item that they stood before there. So items that are new come first.
 *
 * @example orderMerged(['c', 'a', 'b'], ['b', 'c'], ['a', 'c', 'b'], undefined) // => ['a', 'b', 'c']
 */
export function orderMerged(
  merged: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
  mergeKey: string | undefined,
): JsonValue[] {
  const wanted = places(patchOrder, mergeKey);
  const live = places(liveOrder, mergeKey);
  const at = (order: Map<string, number>, item: JsonValue) => order.get(identity(item, mergeKey) ?? '');

  const named = merged.filter((item) => at(wanted, item) !== undefined);
  named.sort((a, b) => (at(wanted, a) ?? 0) - (at(wanted, b) ?? 0));
  const others = merged.filter((item) => at(wanted, item) === undefined);
  const last = live.size;
  others.sort((a, b) => (at(live, a) ?? last) - (at(live, b) ?? last));

  const result: JsonValue[] = [];
  let next = 0;
  for (const item of named) {
    const place = at(live, item);
    while (place !== undefined && next < others.length) {
      const other = at(live, others[next] as JsonValue);
      if (other === undefined || other > place) break;
      result.push(others[next++] as JsonValue);
    }
    result.push(item);
  }
  return result.concat(others.slice(next));
}

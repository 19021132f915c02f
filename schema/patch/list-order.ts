import { isObject, JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { member } from './members.ts';

/**
 * The identity of an item in a merging list: the value of the merge key, or the item itself in a list of plain values.
 * A merge key may be null. Undefined if the item has no identity, or an identity that is not a plain value.
 *
 * @example identity({ name: 'web', port: 80 }, 'name') // => 'text web'
 */
export function identity(item: JsonValue, mergeKey: string | undefined): string | undefined {
  const value = mergeKey === undefined ? item : isObject(item) ? member(item, mergeKey) : undefined;
  if (value === undefined || (value === null && mergeKey === undefined)) return undefined;
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) return undefined;
  return `${typeof value === 'string' ? 'text' : 'plain'} ${String(value)}`;
}

/** The first position of each identity in a list. */
export function places(list: readonly JsonValue[], mergeKey: string | undefined): Map<string, number> {
  const found = new Map<string, number>();
  list.forEach((item, i) => {
    const id = identity(item, mergeKey);
    if (id !== undefined && !found.has(id)) found.set(id, i);
  });
  return found;
}

/**
 * Orders a merged list. The items that `patchOrder` names have that order. The other items have the order of
 * `liveOrder`. Each of them comes before the first named item that followed it in `liveOrder`. So new items come first.
 *
 * @example orderMerged(['c', 'a', 'b'], ['b', 'c'], ['a', 'c', 'b'], undefined) // => ['a', 'b', 'c']
 */
export function orderMerged(
  merged: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
  mergeKey: string | undefined,
): JsonValue[] {
  return orderAmong(merged, patchOrder, places(liveOrder, mergeKey), mergeKey);
}

/**
 * Like {@link orderMerged}, for a caller that knows the {@link places} of the live list.
 *
 * @example orderAmong(['c', 'a', 'b'], ['b', 'c'], places(['a', 'c', 'b'], undefined), undefined) // => ['a', 'b', 'c']
 */
export function orderAmong(
  merged: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  live: ReadonlyMap<string, number>,
  mergeKey: string | undefined,
): JsonValue[] {
  const wanted = places(patchOrder, mergeKey);
  const placed = merged.map((item) => {
    const id = identity(item, mergeKey) ?? '';
    return { item, wanted: wanted.get(id), live: live.get(id) };
  });
  const named = placed.filter((one) => one.wanted !== undefined);
  named.sort((a, b) => (a.wanted ?? 0) - (b.wanted ?? 0));
  const others = placed.filter((one) => one.wanted === undefined);
  const last = live.size;
  others.sort((a, b) => (a.live ?? last) - (b.live ?? last));

  const result: JsonValue[] = [];
  let next = 0;
  for (const { item, live: place } of named) {
    while (place !== undefined && next < others.length) {
      const other = others[next]!;
      if (other.live === undefined || other.live > place) break;
      result.push(other.item);
      next++;
    }
    result.push(item);
  }
  return result.concat(others.slice(next).map(({ item }) => item));
}

import { type Selection, selects } from '../api/selection.ts';
import type { StoredResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';

/** One page of a collection at one revision. */
export interface Slice {
  /** Matching items, at most `limit`. */
  readonly items: readonly Item[];
  readonly revision: number;
  /** The key after which the next page starts; undefined on the last page. */
  readonly lastKey: string | undefined;
  /** The number of items after this page. With selectors it has no meaning. */
  readonly remaining: number;
  /** The number of examined items. */
  readonly fetched: number;
  /** The index by which they were found in memory; '' for all. Undefined if they came from the store. */
  readonly index: string | undefined;
}

/** The matching items, at most `limit` unless it is 0. */
export function cut(items: readonly Item[], revision: number, selected: Selection, limit: number, index = ''): Slice {
  if (limit === 0 || items.length <= limit) {
    const matching = selected.everything ? items : items.filter((item) => selects(selected, item));
    if (limit === 0 || matching.length <= limit)
      return { items: matching, revision, lastKey: undefined, remaining: 0, fetched: items.length, index };
  }
  const page: Item[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (!selects(selected, item)) continue;
    page.push(item);
    if (page.length < limit) continue;
    const remaining = items.length - i - 1;
    return { items: page, revision, lastKey: remaining > 0 ? item.key : undefined, remaining, fetched: i + 1, index };
  }
  return { items: page, revision, lastKey: undefined, remaining: 0, fetched: items.length, index };
}

/** The items from a relative `start` on. `items` are in key order. */
export function from(items: readonly Item[], start: string): readonly Item[] {
  if (start === '') return items;
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle]!.key < start) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? items : items.slice(low);
}

/** The key after which reading begins at `start`: `start` without its last zero, or otherwise a key just below it. */
export function exclusive(start: string): string | undefined {
  if (start === '') return undefined;
  if (start.endsWith('\0')) return start.slice(0, -1);
  const last = start.charCodeAt(start.length - 1);
  return `${start.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`;
}

/**
 * A page without selectors, which examines no more objects than it returns. Undefined if the revision is not in memory.
 */
export function pageOf(
  { cache }: StoredResource,
  revision: number,
  prefix: string,
  start: string,
  limit: number,
): Slice | undefined {
  const found = cache.rangeAt(revision, prefix, exclusive(start), limit);
  if (found === undefined) return undefined;
  const { items, remaining, more } = found;
  const lastKey = more ? items.at(-1)!.key : undefined;
  return { items, revision, remaining, lastKey, fetched: items.length, index: '' };
}

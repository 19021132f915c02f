import { type IndexKey, indexedValue } from './index-key.ts';
import type { Item } from './item.ts';

/** The largest number of labels and fields of a resource with an index. They are those that lists used last. */
const INDEXED = 4;

/** An index is used only if at most one item in this number matches. Otherwise a walk over all items is as fast. */
const RARE = 8;

/** The keys of items by the value of one label or field. */
interface Indexed extends Pick<IndexKey, 'of' | 'name'> {
  /** The index; undefined until a second list uses it, because the first list does not make it. */
  keys: Map<string, Set<string>> | undefined;
}

/**
 * Finds items by the value of a label or field. The index is made when a list uses a label or field for the second
 * time. It contains keys, so a change that keeps the value costs little.
 */
export class ItemIndex {
  /** The indexes in the order of their last use, the most recent one last. */
  readonly #indexed = new Map<string, Indexed>();

  /**
   * Keys of the items with this index key, in no order. Undefined if there is no index for it, or if so many items have
   * it that the index does not help. `all` gives every item, and `size` is their number.
   */
  find({ of, name, value }: IndexKey, size: number, all: () => readonly Item[]): ReadonlySet<string> | undefined {
    const id = `${of} ${name}`;
    const known = this.#indexed.get(id);
    const indexed = known ?? { of, name, keys: undefined };
    if (known !== undefined) known.keys ??= index(known, all());
    this.#indexed.delete(id);
    this.#indexed.set(id, indexed);
    const [oldest] = this.#indexed.keys();
    if (this.#indexed.size > INDEXED) this.#indexed.delete(oldest!);
    if (indexed.keys === undefined) return undefined;
    const found = indexed.keys.get(value) ?? NONE;
    return found.size * RARE > size ? undefined : found;
  }

  /** Updates the indexes after a change of one item. */
  apply(previous: Item | undefined, item: Item | undefined): void {
    for (const indexed of this.#indexed.values()) {
      const { of, keys } = indexed;
      // Without an index, the item need not be parsed.
      if (keys === undefined) continue;
      // Most changes keep the labels and fields. Then both items have the same value.
      if (previous !== undefined && item !== undefined && previous[`${of}s`] === item[`${of}s`]) continue;
      const before = previous && indexedValue(previous, indexed);
      const after = item && indexedValue(item, indexed);
      if (before === after) continue;
      if (before !== undefined) remove(keys, before, previous!.key);
      add(keys, after, item?.key ?? '');
    }
  }

  /** Removes all indexes. */
  clear(): void {
    this.#indexed.clear();
  }
}

const NONE: ReadonlySet<string> = new Set();

function index(asked: Indexed, items: readonly Item[]): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  for (const item of items) add(keys, indexedValue(item, asked), item.key);
  return keys;
}

function add(keys: Map<string, Set<string>>, value: string | undefined, key: string): void {
  if (value === undefined) return;
  const known = keys.get(value);
  if (known === undefined) keys.set(value, new Set([key]));
  else known.add(key);
}

function remove(keys: Map<string, Set<string>>, value: string, key: string): void {
  const known = keys.get(value);
  known?.delete(key);
  if (known?.size === 0) keys.delete(value);
}

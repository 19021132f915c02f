import { type IndexKey, indexedValue } from './index-key.ts';
import type { Item } from './item.ts';

/** How many labels and fields of a resource are indexed at a time: those that were asked for last. */
const INDEXED = 4;

/** What is less than this many times rarer than all items is found as quickly by looking at all of them. */
const RARE = 8;

/** The keys of items by the value of one label or field. */
interface Indexed extends Pick<IndexKey, 'of' | 'name'> {
  /** Undefined: asked for once. */
  keys: Map<string, Set<string>> | undefined;
}

/**
 * Which items have some value of a label or field, for those that lists ask for: made when one is asked for the second
 * time. It holds keys, so that a change that leaves the value alone costs little.
 */
export class ItemIndex {
  /** What was asked for last comes last. */
  readonly #indexed = new Map<string, Indexed>();

  /**
   * Keys of the items of which an index key is true, in no order. Undefined where it is not indexed, or true of so many items
   * that the index is no help. `all` gives every item, `size` is their number.
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

  /** Takes a change of one item. */
  apply(previous: Item | undefined, item: Item | undefined): void {
    for (const indexed of this.#indexed.values()) {
      const { of, keys } = indexed;
      // without an index nobody has to read the item
      if (keys === undefined) continue;
      // most changes leave the labels alone, and then they are the same value; so it is with fields
      if (previous !== undefined && item !== undefined && previous[`${of}s`] === item[`${of}s`]) continue;
      const before = previous && indexedValue(previous, indexed);
      const after = item && indexedValue(item, indexed);
      if (before === after) continue;
      if (before !== undefined) remove(keys, before, previous!.key);
      add(keys, after, item?.key ?? '');
    }
  }

  /** Forgets everything. */
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

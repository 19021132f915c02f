import type { Item } from './item.ts';

/** How many labels of a resource are indexed at a time: those that were asked for last. */
const LABELS = 4;

/** What is less than this many times rarer than all items is found as quickly by looking at all of them. */
const RARE = 8;

/** The keys of items by the value of one label. */
type KeysByValue = Map<string, Set<string>>;

/**
 * Which items carry a label with some value, for labels that lists ask for: made when one is asked for the second time.
 * It holds keys, so that a change that leaves the labels alone costs nothing.
 */
export class LabelIndex {
  /** The label asked for last comes last; undefined: asked for once. */
  readonly #labels = new Map<string, KeysByValue | undefined>();

  /**
   * Keys of the items that carry the label with this value, in no order. Undefined where the label is not indexed, or so
   * many items have the value that the index is no help. `all` gives every item, `size` is their number.
   */
  find(label: string, value: string, size: number, all: () => readonly Item[]): ReadonlySet<string> | undefined {
    const keys = this.#labels.has(label) ? (this.#labels.get(label) ?? index(label, all())) : undefined;
    this.#labels.delete(label);
    this.#labels.set(label, keys);
    const [oldest] = this.#labels.keys();
    if (this.#labels.size > LABELS) this.#labels.delete(oldest!);
    if (keys === undefined) return undefined;
    const found = keys.get(value) ?? NONE;
    return found.size * RARE > size ? undefined : found;
  }

  /** Takes a change of one item. */
  apply(previous: Item | undefined, item: Item | undefined): void {
    for (const [label, keys] of this.#labels) {
      // without an index nobody has to read the labels
      if (keys === undefined) continue;
      // most changes leave the labels alone, and then they are the same value; what has none is in no index
      if (previous?.labels === item?.labels) return;
      const before = previous && labelValue(previous, label);
      const after = item && labelValue(item, label);
      if (before === after) continue;
      if (before !== undefined) remove(keys, before, previous!.key);
      add(keys, after, item?.key ?? '');
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#labels.clear();
  }
}

const NONE: ReadonlySet<string> = new Set();

function index(label: string, items: readonly Item[]): KeysByValue {
  const keys: KeysByValue = new Map();
  for (const item of items) add(keys, labelValue(item, label), item.key);
  return keys;
}

function labelValue({ labels }: Item, label: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, label) ? labels[label] : undefined;
}

function add(keys: KeysByValue, value: string | undefined, key: string): void {
  if (value === undefined) return;
  const known = keys.get(value);
  if (known === undefined) keys.set(value, new Set([key]));
  else known.add(key);
}

function remove(keys: KeysByValue, value: string, key: string): void {
  const known = keys.get(value);
  known?.delete(key);
  if (known?.size === 0) keys.delete(value);
}

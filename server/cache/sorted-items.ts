import type { Item } from './item.ts';
import { byteOrder, isPrefix, type KeyOrder, needsByteOrder, type Scope, unitOrder } from './key-order.ts';

/** The length from which a chunk is split. An insertion moves at most this number of references. */
const CHUNK = 512;

interface Position {
  readonly chunk: number;
  readonly index: number;
}

/** Items in the store's key order, in sorted chunks. So a change costs the same with 1,000 and with 100,000 keys. */
export class SortedItems {
  #chunks: Item[][] = [];
  #size = 0;
  #bytes = 0;
  #order: KeyOrder = unitOrder;

  get size(): number {
    return this.#size;
  }

  /** The sum of the lengths of all bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  get order(): KeyOrder {
    return this.#order;
  }

  get(key: string): Item | undefined {
    const { chunk, index } = this.#seek((other) => this.#order(other, key) < 0);
    const found = this.#chunks[chunk]?.[index];
    return found?.key === key ? found : undefined;
  }

  /** Replaces the item with the same key and returns the replaced one. */
  set(item: Item): Item | undefined {
    if (this.#order === unitOrder && needsByteOrder(item.key)) this.#order = byteOrder;
    this.#bytes += item.body.length;
    const last = this.#chunks.at(-1);
    if (last === undefined || this.#order(last[last.length - 1]!.key, item.key) < 0) {
      this.#size++;
      if (last === undefined || last.length >= CHUNK) this.#chunks.push([item]);
      else last.push(item);
      return undefined;
    }
    const { chunk, index } = this.#seek((other) => this.#order(other, item.key) < 0);
    const items = this.#chunks[chunk]!;
    const present = items[index]!;
    if (present.key === item.key) {
      items[index] = item;
      this.#bytes -= present.body.length;
      return present;
    }
    this.#size++;
    items.splice(index, 0, item);
    if (items.length > CHUNK) this.#chunks.splice(chunk + 1, 0, items.splice(CHUNK >> 1));
    return undefined;
  }

  delete(key: string): Item | undefined {
    const { chunk, index } = this.#seek((other) => this.#order(other, key) < 0);
    const items = this.#chunks[chunk];
    const present = items?.[index];
    if (items === undefined || present?.key !== key) return undefined;
    this.#size--;
    this.#bytes -= present.body.length;
    items.splice(index, 1);
    if (items.length < CHUNK >> 3) this.#merge(chunk);
    return present;
  }

  /** A new array of the items in `scope`, after the key `after`, at most `limit`. */
  range(scope: Scope, after?: string, limit = Number.POSITIVE_INFINITY): Item[] {
    const start = this.#start(scope, after);
    const end = this.#end(scope);
    const result: Item[] = [];
    for (let chunk = start.chunk; chunk <= end.chunk && result.length < limit; chunk++) {
      const items = this.#chunks[chunk];
      if (items === undefined) break;
      const from = chunk === start.chunk ? start.index : 0;
      let to = chunk === end.chunk ? end.index : items.length;
      to = Math.min(to, from + limit - result.length);
      for (let index = from; index < to; index++) result.push(items[index]!);
    }
    return result;
  }

  /** The number of items in `scope`, after the key `after`. */
  count(scope: Scope, after?: string): number {
    if (scope === '' && after === undefined) return this.#size;
    const start = this.#start(scope, after);
    const end = this.#end(scope);
    if (start.chunk > end.chunk) return 0;
    let count = end.index - start.index;
    for (let chunk = start.chunk; chunk < end.chunk; chunk++) count += this.#chunks[chunk]!.length;
    return Math.max(0, count);
  }

  /**
   * Steps through the items in `scope`, after the key `after`. Each call gives the next item. It is not valid after a
   * change.
   */
  walk(scope: Scope, after?: string): () => Item | undefined {
    let { chunk, index } = this.#start(scope, after);
    const end = this.#end(scope);
    return () => {
      if (chunk > end.chunk || (chunk === end.chunk && index >= end.index)) return undefined;
      const items = this.#chunks[chunk];
      const item = items?.[index];
      if (items === undefined || item === undefined) return undefined;
      index++;
      if (index >= items.length) {
        chunk++;
        index = 0;
      }
      return item;
    };
  }

  /** Appends a chunk that has become small to the previous chunk, if there is room. */
  #merge(chunk: number): void {
    const items = this.#chunks[chunk]!;
    const before = this.#chunks[chunk - 1];
    if (items.length > 0 && (before === undefined || before.length > CHUNK >> 1)) return;
    before?.push(...items);
    this.#chunks.splice(chunk, 1);
  }

  #start(scope: Scope, after: string | undefined): Position {
    const order = this.#order;
    if (after !== undefined && order(after, scope) >= 0) return this.#seek((key) => order(key, after) <= 0);
    return this.#seek((key) => order(key, scope) < 0);
  }

  #end(scope: Scope): Position {
    const order = this.#order;
    if (scope === '') return { chunk: this.#chunks.length, index: 0 };
    if (!isPrefix(scope)) return this.#seek((key) => order(key, scope) <= 0);
    return this.#seek((key) => order(key, scope) < 0 || key.startsWith(scope));
  }

  /**
   * The first position whose key is not `before`. `before` must be true for the first keys and false for all later
   * ones.
   */
  #seek(before: (key: string) => boolean): Position {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const items = this.#chunks[middle]!;
      if (before(items[items.length - 1]!.key)) low = middle + 1;
      else high = middle;
    }
    const items = this.#chunks[low];
    if (items === undefined) return { chunk: low, index: 0 };
    let from = 0;
    let to = items.length - 1;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (before(items[middle]!.key)) from = middle + 1;
      else to = middle;
    }
    return { chunk: low, index: from };
  }
}

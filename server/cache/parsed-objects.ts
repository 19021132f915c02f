import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import type { Item } from './item.ts';

/** Parsed objects take about this many times the memory of their text. */
const PARSED_RATIO = 6;

/** Parses items on demand and keeps those used last. */
export class ParsedObjects {
  readonly #limit: number;
  readonly #objects = new Map<Item, JsonObject>();
  #lent = new Map<Item, JsonObject>();
  #bytes = 0;

  /** `limit` in bytes, estimated. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The item's object, without `kind` and `apiVersion`. Shared: a caller that changes it copies it first.
   * Numbers beyond a double are kept as text.
   */
  get(item: Item): JsonObject {
    const known = this.#objects.get(item);
    if (known !== undefined) {
      this.#objects.delete(item);
      this.#objects.set(item, known);
      return known;
    }
    const lent = this.#lent.get(item);
    if (lent !== undefined) return lent;
    const object = parseStored(item.body);
    this.put(item, object);
    return object;
  }

  /** As `get`, but it does not keep an object that it had to parse. */
  once(item: Item): JsonObject {
    return this.#objects.get(item) ?? this.#lent.get(item) ?? parseStored(item.body);
  }

  /** Keeps the object of a new item until `takeBack`, because most objects are used once, right after their write. */
  lend(item: Item, object: JsonObject): void {
    this.#lent.set(item, object);
  }

  takeBack(): void {
    if (this.#lent.size > 0) this.#lent = new Map();
  }

  /** Keeps the object of an item. */
  put(item: Item, object: JsonObject): void {
    this.#objects.set(item, object);
    this.#bytes += size(item);
    for (const oldest of this.#objects.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.#objects.delete(oldest);
      this.#bytes -= size(oldest);
    }
  }
}

function size(item: Item): number {
  return item.body.length * PARSED_RATIO;
}

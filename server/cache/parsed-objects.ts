import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import type { Item } from './item.ts';

/** How many times the memory of their text parsed objects take, approximately. */
const PARSED_RATIO = 6;

/** Parses items when they are needed, and keeps the objects that were used last. */
export class ParsedObjects {
  readonly #limit: number;
  readonly #objects = new Map<Item, JsonObject>();
  #lent = new Map<Item, JsonObject>();
  #bytes = 0;

  /** @param limit the estimated size in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The item's object, without `kind` and `apiVersion`. It is shared, so a caller copies it before a change. Numbers
   * that a double cannot hold are kept as text.
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

  /** Like `get`, but it does not keep an object that it had to parse. */
  once(item: Item): JsonObject {
    return this.#objects.get(item) ?? this.#lent.get(item) ?? parseStored(item.body);
  }

  /**
   * Keeps the object of a new item until `takeBack`, because most objects are used once, directly after their write.
   */
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

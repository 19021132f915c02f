import type { Item } from '../cache/item.ts';

/** What objects are in one form, by object. */
export interface EncodedForm {
  get(item: Item): Buffer | undefined;
  set(item: Item, bytes: Buffer): void;
}

/** Two generations of one form: the older one goes when the pool has grown to half of its limit. */
class Generations implements EncodedForm {
  readonly #grown: (bytes: number) => void;
  #young = new WeakMap<Item, Buffer>();
  #old = new WeakMap<Item, Buffer>();

  constructor(grown: (bytes: number) => void) {
    this.#grown = grown;
  }

  get(item: Item): Buffer | undefined {
    return this.#young.get(item) ?? this.#old.get(item);
  }

  set(item: Item, bytes: Buffer): void {
    this.#young.set(item, bytes);
    this.#grown(bytes.length);
  }

  age(): void {
    this.#old = this.#young;
    this.#young = new WeakMap();
  }
}

/**
 * Keeps encoded objects for whoever wants the same next, until `limit` bytes are kept in all forms together. Objects
 * that are gone take what they were encoded as with them.
 */
export class EncodedPool {
  readonly #limit: number;
  readonly #forms: Generations[] = [];
  #youngBytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  form(): EncodedForm {
    const form = new Generations((bytes) => this.#grow(bytes));
    this.#forms.push(form);
    return form;
  }

  #grow(bytes: number): void {
    this.#youngBytes += bytes;
    if (this.#youngBytes <= this.#limit / 2) return;
    for (const form of this.#forms) form.age();
    this.#youngBytes = 0;
  }
}

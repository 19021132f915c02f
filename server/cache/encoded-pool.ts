import type { Item } from './item.ts';

/** Encoded objects of one form, by object. */
export interface EncodedForm {
  get(item: Item): Buffer | undefined;
  set(item: Item, bytes: Buffer): void;
}

/** Two generations of one form. When the pool has grown to half of its limit, the older generation is dropped. */
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
 * Keeps encoded objects for the next reader of the same form, up to `limit` bytes for all forms together. When the
 * garbage collector removes an object or a form, its encoded bytes are removed too.
 */
export class EncodedPool {
  readonly #limit: number;
  readonly #forms = new Set<WeakRef<Generations>>();
  #youngBytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of forms in the pool. A form that was collected counts until the pool grows the next time. */
  get forms(): number {
    return this.#forms.size;
  }

  form(): EncodedForm {
    const form = new Generations((bytes) => this.#grow(bytes));
    this.#forms.add(new WeakRef(form));
    return form;
  }

  #grow(bytes: number): void {
    this.#youngBytes += bytes;
    if (this.#youngBytes <= this.#limit / 2) return;
    for (const reference of this.#forms) {
      const form = reference.deref();
      if (form === undefined) this.#forms.delete(reference);
      else form.age();
    }
    this.#youngBytes = 0;
  }
}

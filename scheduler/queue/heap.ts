/** Items with keys, in an order. The first item of the order is always available. */
export class Heap<T extends { readonly key: string }> {
  readonly #items: T[] = [];
  /** The place of each key. */
  readonly #places = new Map<string, number>();
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** Adds an item, and replaces an item with the same key. */
  push(item: T): void {
    this.remove(item.key);
    this.#items.push(item);
    this.#places.set(item.key, this.#items.length - 1);
    this.#rise(this.#items.length - 1);
  }

  /** Removes the first item and returns it. */
  shift(): T | undefined {
    const [first] = this.#items;
    if (first !== undefined) this.remove(first.key);
    return first;
  }

  remove(key: string): void {
    const at = this.#places.get(key);
    if (at === undefined) return;
    this.#places.delete(key);
    const last = this.#items.pop()!;
    if (at === this.#items.length) return;
    this.#items[at] = last;
    this.#places.set(last.key, at);
    this.#rise(at);
    this.#sink(this.#places.get(last.key)!);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (this.#compare(this.#items[at]!, this.#items[above]!) >= 0) return;
      this.#swap(at, above);
      at = above;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      let first = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < this.#items.length && this.#compare(this.#items[below]!, this.#items[first]!) < 0) first = below;
      if (first === at) return;
      this.#swap(at, first);
      at = first;
    }
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#items[a]!, this.#items[b]!];
    this.#items[a] = y;
    this.#items[b] = x;
    this.#places.set(y.key, a);
    this.#places.set(x.key, b);
  }
}

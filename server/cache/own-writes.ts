/**
 * The values that this replica is about to write. If a change comes back from the store with the same bytes, it needs
 * no parsing, because a valid object was its source. Whole values are compared, so it does not matter which replica
 * wrote them.
 */
export class OwnWrites {
  readonly #values = new Map<string, Buffer>();

  /** Expects `value` under an absolute key. Returns the function that ends the expectation. */
  expect(key: string, value: Buffer): () => void {
    this.#values.set(key, value);
    return () => {
      if (this.#values.get(key) === value) this.#values.delete(key);
    };
  }

  /** Whether this value is expected under that key. */
  has(key: string, value: Buffer): boolean {
    return this.#values.get(key)?.equals(value) === true;
  }
}

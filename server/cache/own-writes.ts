/**
 * What this replica is about to have written. A change that comes back from the store just as it was sent needs no
 * reading: it was made from a valid object. Values are compared whole, so that it does not matter who wrote them.
 */
export class OwnWrites {
  readonly #values = new Map<string, Buffer>();

  /** Expects `value` under an absolute key. Returns what ends that. */
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

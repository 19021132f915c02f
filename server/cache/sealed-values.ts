import { isSealed } from '#program/encryption/sealed-value.ts';
import type { ObjectStore } from '#storage/object-store.ts';
import type { ResourceEntries } from './resource-entries.ts';

/** How many values are read at once. */
const AT_ONCE = 64;

/** The least time between two attempts, in milliseconds. */
const RETRY_AFTER_MS = 1000;

/** The values that could not be decrypted when they arrived. */
export class SealedValues {
  readonly #store: ObjectStore;
  readonly #prefix: string;
  readonly #entries: ResourceEntries;
  #retrying: Promise<void> | undefined;
  #retriedAt = Number.NEGATIVE_INFINITY;

  /** `prefix`: with a trailing slash. */
  constructor(store: ObjectStore, prefix: string, entries: ResourceEntries) {
    this.#store = store;
    this.#prefix = prefix;
    this.#entries = entries;
  }

  /**
   * Reads the values again after `first`: call it when keys have changed, or when the key service answers again.
   * Resolves when the values were read, or had been read within the last second.
   *
   * @throws what the store throws
   */
  retry(first: () => Promise<void>): Promise<void> {
    if (performance.now() - this.#retriedAt < RETRY_AFTER_MS) return Promise.resolve();
    this.#retrying ??= first()
      .then(() => this.#readAgain())
      .finally(() => {
        this.#retriedAt = performance.now();
        this.#retrying = undefined;
      });
    return this.#retrying;
  }

  async #readAgain(): Promise<void> {
    for (const entry of [...this.#entries]) {
      const base = `${this.#prefix}${entry.id}/`;
      const sealed = entry.resource.sealedIn('');
      for (let at = 0; at < sealed.length; at += AT_ONCE) {
        const some = sealed.slice(at, at + AT_ONCE);
        const found = await Promise.all(some.map(({ key }) => this.#store.get(base + key)));
        const items = found.flatMap((stored, i) => {
          if (stored === undefined) entry.resource.forgetSealed(some[i]!);
          if (stored === undefined || isSealed(stored.value)) return [];
          return this.#entries.list({ entry, key: some[i]!.key }, stored) ?? [];
        });
        if (this.#entries.get(entry.id) === entry) entry.resource.regain(items);
      }
    }
  }
}

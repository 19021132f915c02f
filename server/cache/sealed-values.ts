import { isSealed } from '#program/encryption/sealed-value.ts';
import type { ObjectStore } from '#storage/object-store.ts';
import type { ResourceEntries } from './resource-entries.ts';

/** The largest number of values that are read from the store at the same time. */
const AT_ONCE = 64;

/** The shortest time between two attempts, in milliseconds. */
const RETRY_AFTER_MS = 1000;

/** Reads the values again that the cache could not decrypt when they arrived. */
export class SealedValues {
  readonly #store: ObjectStore;
  readonly #prefix: string;
  readonly #entries: ResourceEntries;
  #retrying: Promise<void> | undefined;
  #retriedAt = Number.NEGATIVE_INFINITY;

  /** @param prefix the prefix of all keys of this server in the store, with a slash at the end */
  constructor(store: ObjectStore, prefix: string, entries: ResourceEntries) {
    this.#store = store;
    this.#prefix = prefix;
    this.#entries = entries;
  }

  /**
   * Runs `first`, and then reads the values again. A caller does this when encryption keys have changed, or when the
   * key service answers again. The promise resolves when the values have been read. It resolves at once if the last
   * attempt ended less than a second ago.
   *
   * @throws the errors of the store
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

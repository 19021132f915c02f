import type { ItemChange } from './item.ts';
import type { CacheLog } from './resource-entries.ts';

/** A change of an object that the cache shows. */
export interface AppliedChange extends ItemChange {
  /** The short name of the group; '' is the core group. */
  readonly group: string;
  readonly plural: string;
  /** The key relative to the resource. */
  readonly key: string;
}

/** Listeners that are called with each change as soon as the cache shows it. Their errors are logged. */
export class ApplyListeners {
  readonly #log: CacheLog;
  readonly #listeners = new Set<(change: AppliedChange) => void>();

  constructor(log: CacheLog) {
    this.#log = log;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns the function that removes the listener. */
  add(listener: (change: AppliedChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(change: AppliedChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#log.error(
          { err: error, resource: change.plural, key: change.key },
          'a listener for cache changes failed',
        );
      }
    }
  }
}

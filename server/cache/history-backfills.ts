import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore, Revision } from '#storage/object-store.ts';
import { Backfill } from './backfill.ts';
import type { LoadedState } from './load-state.ts';
import type { CacheLog, ResourceEntries, ResourceEntry } from './resource-entries.ts';

/** How long a reader waits for the changes before the start, in milliseconds. */
const BACKFILL_MS = 10_000;

interface HistoryBackfillsOptions {
  readonly store: ObjectStore;
  /** The prefix of all keys, with a slash at the end. */
  readonly prefix: string;
  readonly entries: ResourceEntries;
  /** The limits of a read: the number of revisions, and the number of bytes. */
  readonly revisions: number;
  readonly bytes: number;
  /** The time, in whole seconds. */
  readonly second: () => number;
  readonly signal: AbortSignal;
  readonly log: CacheLog;
}

/**
 * Reads the changes before the cache was filled, and before resources were added later. It reads them from the store
 * when a reader first asks for them.
 */
export class HistoryBackfills {
  readonly #options: HistoryBackfillsOptions;
  #whole: Backfill | undefined;
  readonly #ofEntries = new Map<ResourceEntry, Backfill>();

  constructor(options: HistoryBackfillsOptions) {
    this.#options = options;
  }

  /** Records that all resources were filled with this state, and drops their earlier backfills. */
  begin(loaded: LoadedState): void {
    this.#ofEntries.clear();
    this.#whole = this.#backfill(loaded, '');
  }

  /** Records that one resource was filled with this state. */
  add(entry: ResourceEntry, loaded: Pick<LoadedState, 'revision' | 'items'>): void {
    this.#ofEntries.set(entry, this.#backfill(loaded, `${entry.id}/`));
  }

  delete(entry: ResourceEntry): void {
    this.#ofEntries.delete(entry);
  }

  /** Drops the backfills of states from before this second. */
  dropBefore(oldest: number): void {
    if (this.#whole !== undefined && this.#whole.second < oldest) this.#whole = undefined;
    for (const [entry, past] of this.#ofEntries) if (past.second < oldest) this.#ofEntries.delete(entry);
  }

  /**
   * Reads the changes after `since`, if the store still has them. Resolves within 10 s in any case; failures are
   * logged.
   */
  async backfill(since: Revision): Promise<void> {
    const enough = new AbortController();
    const pasts = [this.#whole, ...this.#ofEntries.values()];
    const recalling = Promise.all(pasts.map((past) => past?.backfill(since))).catch((error: unknown) => {
      this.#options.log.info({ err: error }, 'the changes before the start cannot be read');
    });
    await Promise.race([
      recalling,
      sleep(BACKFILL_MS, undefined, { ref: false, signal: enough.signal }).catch(() => {}),
    ]);
    enough.abort();
  }

  /** @param folder `<resource id>/` for one resource, or empty for all of them */
  #backfill({ revision, items }: Pick<LoadedState, 'revision' | 'items'>, folder: string): Backfill {
    const { store, prefix, entries, revisions, bytes, second, signal } = this.#options;
    return new Backfill({
      store,
      prefix: prefix + folder,
      entries,
      items,
      revision,
      withLaterCustom: folder === '',
      revisions,
      bytes,
      second: second(),
      signal,
    });
  }
}

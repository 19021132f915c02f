import { TimeSlice } from '#base/time/time-slice.ts';
import { isSealed } from '#program/encryption/sealed-value.ts';
import type { Change, ObjectStore, Revision } from '#storage/object-store.ts';
import { History, trimHistories } from './history.ts';
import type { Item } from './item.ts';
import { isCustomResource, type LocatedKey, type ResourceEntries, type ResourceEntry } from './resource-entries.ts';
import type { SortedItems } from './sorted-items.ts';

/** If no change arrives for this time, in milliseconds, the reader asks the feed for its progress. */
const PROGRESS_MS = 100;

export interface BackfillOptions {
  readonly store: ObjectStore;
  /** Absolute, with a trailing slash. */
  readonly prefix: string;
  readonly entries: ResourceEntries;
  /** The state at which the histories end. It may change during the read. */
  readonly items: ReadonlyMap<ResourceEntry, SortedItems>;
  readonly revision: Revision;
  /** Whether custom resources that were added later belong to it. */
  readonly withLaterCustom: boolean;
  /** The largest number of revisions to go back. */
  readonly revisions: number;
  readonly bytes: number;
  /** The time that the changes get, so that they can be trimmed by age. */
  readonly second: number;
  readonly signal: AbortSignal;
}

/**
 * The changes before the state with which the cache was filled. They reach back as far as the store has them and the
 * limits allow. They are for clients that come from another replica, with a revision that they received there. etcd
 * delivers about 10,000 past revisions a second. So the replica first serves, and reads these changes only for the
 * first client that needs them.
 */
export class Backfill {
  readonly #options: BackfillOptions;
  /** The oldest revision that can be read; compaction moves it forward. */
  #from: Promise<Revision> | undefined;
  #reading: Promise<void> | undefined;

  constructor(options: BackfillOptions) {
    this.#options = options;
  }

  /** The time at which the store had the state, in seconds. All changes that the reader reads get this time. */
  get second(): number {
    return this.#options.second;
  }

  /**
   * Puts the changes before the histories of the entries, if the store still has all changes after `since`. A history
   * that was trimmed in the meantime does not change. After that, a history may exceed its limit, and the caller trims
   * it. Live changes may arrive in the meantime.
   *
   * @throws the errors of the store
   */
  async backfill(since: Revision): Promise<void> {
    if (since >= this.#options.revision) return;
    try {
      const from = await (this.#from ??= this.#oldest());
      if (since >= from) await (this.#reading ??= this.#read(from));
    } catch (error) {
      this.#from = undefined;
      this.#reading = undefined;
      throw error;
    }
  }

  async #oldest(): Promise<Revision> {
    const { store, revision, revisions } = this.#options;
    return Math.max(await store.oldestRevision(), revision - revisions);
  }

  async #read(from: Revision): Promise<void> {
    const { items, revision } = this.#options;
    const begun = new Map([...items.keys()].map((entry) => [entry, entry.resource.history]));
    const past = new Past(this.#options, from);
    if (!(await past.read())) return;
    for (const [entry, history] of past.histories) {
      const present = entry.resource.history;
      // This is skipped if the history was trimmed or filled again in the meantime.
      const same = present === begun.get(entry) || (!begun.has(entry) && isCustomResource(entry.id));
      if (same && present.start === revision) present.prepend(history);
    }
  }
}

/** Whether a state before or after a change could not be decrypted. */
function isHidden({ value, previous }: Change): boolean {
  return (value !== undefined && isSealed(value)) || (previous !== undefined && isSealed(previous.value));
}

/** One read of past changes. */
class Past {
  readonly #options: BackfillOptions;
  readonly #from: Revision;
  readonly histories = new Map<ResourceEntry, History>();
  /** The last known state of each key that was read so far. */
  readonly #known = new Map<string, Item | undefined>();

  constructor(options: BackfillOptions, from: Revision) {
    this.#options = options;
    this.#from = from;
    for (const entry of options.items.keys()) this.histories.set(entry, new History(from));
  }

  /** Reads the changes. Resolves to false if the read was aborted. */
  async read(): Promise<boolean> {
    const { store, prefix, revision, signal } = this.#options;
    const done = new AbortController();
    const feed = store.feed(prefix, this.#from, { signal: AbortSignal.any([signal, done.signal]), previous: true });
    const nudge = setInterval(() => feed.requestProgress(), PROGRESS_MS);
    try {
      const slice = new TimeSlice();
      for await (const batch of feed) {
        for (const change of batch.changes) {
          if (change.revision <= revision) this.#add(change);
          if (slice.over) await slice.yield();
        }
        trimHistories([...this.histories.values()], this.#options.bytes);
        nudge.refresh();
        if (batch.revision >= revision) return true;
      }
      return false;
    } finally {
      clearInterval(nudge);
      done.abort();
    }
  }

  #add(change: Change): void {
    const located = this.#options.entries.locate(change.key);
    const history = located && this.#historyOf(located.entry);
    if (located === undefined || history === undefined) return;
    const { revision } = change;
    if (isHidden(change)) {
      // The value is encrypted with a lost key. This change cannot be shown, so the history starts after it.
      this.#known.delete(change.key);
      history.restart(revision);
      return;
    }
    const previous = this.#previous(change, located);
    const item = this.#item(change, located, previous ?? undefined);
    this.#known.set(change.key, item);
    if (previous === null) history.restart(revision);
    else if (item !== undefined || previous !== undefined) {
      history.push({ revision, item, previous }, this.#options.second);
    }
  }

  /** Custom resources that were unknown when the cache was filled also have past changes. */
  #historyOf(entry: ResourceEntry): History | undefined {
    const known = this.histories.get(entry);
    if (known !== undefined || !this.#options.withLaterCustom || !isCustomResource(entry.id)) return known;
    const history = new History(this.#from);
    this.histories.set(entry, history);
    return history;
  }

  /** The state before a change; null if the store no longer has it. */
  #previous(change: Change, located: LocatedKey): Item | undefined | null {
    if (this.#known.has(change.key)) return this.#known.get(change.key);
    if (change.previous !== undefined) return this.#options.entries.list(located, change.previous);
    return change.value !== undefined && change.createRevision === change.revision ? undefined : null;
  }

  /** The listed item if it is unchanged. */
  #item(change: Change, located: LocatedKey, previous: Item | undefined): Item | undefined {
    if (change.value === undefined) return undefined;
    const listed = this.#options.items.get(located.entry)?.get(located.key);
    if (listed?.revision === change.revision) return listed;
    return this.#options.entries.list(located, { value: change.value, revision: change.revision }, previous);
  }
}

import type { Change, ObjectStore, Revision } from '../../storage-etcd/object-store.ts';
import { History, trimHistories } from './history.ts';
import type { Item } from './item.ts';
import type { Place, Slot, Slots } from './slots.ts';
import type { SortedItems } from './sorted-items.ts';
import { TimeSlice } from './time-slice.ts';

/** After so much silence the feed is asked how far it is, in milliseconds. */
const PROGRESS_MS = 100;

export interface BackfillOptions {
  readonly store: ObjectStore;
  /** Absolute, with a trailing slash. */
  readonly prefix: string;
  readonly slots: Slots;
  /** The state that the histories lead up to, as far as it has been listed. */
  readonly items: ReadonlyMap<Slot, SortedItems>;
  readonly revision: Revision;
  /** How many revisions to go back at most. */
  readonly revisions: number;
  readonly bytes: number;
  /** What the changes count as, for trimming by age. */
  readonly second: number;
  readonly signal: AbortSignal;
}

/**
 * The changes before a state that is being listed, as far back as the store remembers and the bounds allow, for readers
 * that come from another replica with revisions that they know from there. etcd hands out about 10,000 past revisions a
 * second, so they are read while the state is.
 */
export class Backfill {
  readonly #options: BackfillOptions;
  readonly #histories = new Map<Slot, History>();
  /** The last known state of each key met so far. */
  readonly #known = new Map<string, Item | undefined>();
  readonly #done = new AbortController();
  readonly #complete: Promise<boolean>;

  constructor(options: BackfillOptions) {
    this.#options = options;
    this.#complete = this.#read();
    // its failure is met by whoever wants what was read
    this.#complete.catch(() => {});
  }

  /** What a key had at a revision, where it was met on the way, so that it is in memory once. */
  item(key: string, revision: Revision): Item | undefined {
    const known = this.#known.get(key);
    return known?.revision === revision ? known : undefined;
  }

  /**
   * Puts the changes before the histories that begin with the state, as they are at the time of the call. Live changes
   * may arrive meanwhile. Throws what the store throws.
   */
  async prepend(): Promise<void> {
    const begun = new Map([...this.#options.items.keys()].map((slot) => [slot, slot.resource.history]));
    const complete = await this.#complete;
    this.#known.clear();
    if (!complete) return;
    for (const [slot, past] of this.#histories) {
      const present = slot.resource.history;
      // Not when it was trimmed or filled anew meanwhile.
      if (present === begun.get(slot) && present.start === this.#options.revision) present.prepend(past);
    }
  }

  /** Reads no further. */
  stop(): void {
    this.#done.abort();
  }

  /** False when there is nothing to read, or it was aborted. */
  async #read(): Promise<boolean> {
    const { store, prefix, revision, revisions, signal } = this.#options;
    const from = Math.max(await store.oldestRevision(), revision - revisions);
    if (from >= revision || signal.aborted || this.#done.signal.aborted) return false;
    for (const slot of this.#options.items.keys()) this.#histories.set(slot, new History(from));
    const feed = store.feed(prefix, from, { signal: AbortSignal.any([signal, this.#done.signal]), previous: true });
    const nudge = setInterval(() => feed.requestProgress(), PROGRESS_MS);
    try {
      const slice = new TimeSlice();
      for await (const batch of feed) {
        for (const change of batch.changes) {
          if (change.revision <= revision) this.#add(change);
          if (slice.over) await slice.yield();
        }
        trimHistories([...this.#histories.values()], this.#options.bytes);
        nudge.refresh();
        if (batch.revision >= revision) return true;
      }
      return false;
    } finally {
      clearInterval(nudge);
      this.stop();
    }
  }

  #add(change: Change): void {
    const place = this.#options.slots.place(change.key);
    const history = place && this.#histories.get(place.slot);
    if (place === undefined || history === undefined) return;
    const { revision } = change;
    const previous = this.#previous(change, place);
    const item = this.#item(change, place, previous ?? undefined);
    this.#known.set(change.key, item);
    if (previous === null) history.restart(revision);
    else if (item !== undefined || previous !== undefined) {
      history.push({ revision, item, previous }, this.#options.second);
    }
  }

  /** The state before a change; null when the store does not have it any more. */
  #previous(change: Change, place: Place): Item | undefined | null {
    if (this.#known.has(change.key)) return this.#known.get(change.key);
    if (change.previous !== undefined) return this.#options.slots.list(place, change.previous);
    return change.value !== undefined && change.createRevision === change.revision ? undefined : null;
  }

  /** The listed item where it is still the same. */
  #item(change: Change, place: Place, previous: Item | undefined): Item | undefined {
    if (change.value === undefined) return undefined;
    const listed = this.#options.items.get(place.slot)?.get(place.key);
    if (listed?.revision === change.revision) return listed;
    return this.#options.slots.list(place, { value: change.value, revision: change.revision }, previous);
  }
}

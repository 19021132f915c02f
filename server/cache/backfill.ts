import { TimeSlice } from '#base/time/time-slice.ts';
import type { Change, ObjectStore, Revision } from '#storage-etcd/object-store.ts';
import { isSealed } from '../encryption/sealed-value.ts';
import { History, trimHistories } from './history.ts';
import type { Item } from './item.ts';
import { isForeign, type Place, type Slot, type Slots } from './slots.ts';
import type { SortedItems } from './sorted-items.ts';

/** After so much silence the feed is asked how far it is, in milliseconds. */
const PROGRESS_MS = 100;

export interface BackfillOptions {
  readonly store: ObjectStore;
  /** Absolute, with a trailing slash. */
  readonly prefix: string;
  readonly slots: Slots;
  /** The state that the histories lead up to; it may change meanwhile. */
  readonly items: ReadonlyMap<Slot, SortedItems>;
  readonly revision: Revision;
  /** Whether foreign resources belong to it that have come since. */
  readonly foreign: boolean;
  /** How many revisions to go back at most. */
  readonly revisions: number;
  readonly bytes: number;
  /** What the changes count as, for trimming by age. */
  readonly second: number;
  readonly signal: AbortSignal;
}

/**
 * The changes before the state that the cache was filled with, as far back as the store remembers and the bounds allow,
 * for readers that come from another replica with revisions that they know from there. etcd hands out about 10,000 past
 * revisions a second, so they are read when the first such reader comes, and not before the replica serves.
 */
export class Backfill {
  readonly #options: BackfillOptions;
  /** Where the past begins that can be had; the store forgets more of it with time. */
  #from: Promise<Revision> | undefined;
  #learned: Promise<void> | undefined;

  constructor(options: BackfillOptions) {
    this.#options = options;
  }

  /** When the state was that of the store, in seconds; what is learned counts as of then. */
  get second(): number {
    return this.#options.second;
  }

  /**
   * Puts the changes into the histories of the slots, unless those have been trimmed since, where `since` is one of the
   * revisions that can be had. Together they may then be larger than they should. Live changes may arrive meanwhile.
   * Rejects with what the store throws.
   */
  async recall(since: Revision): Promise<void> {
    if (since >= this.#options.revision) return;
    try {
      const from = await (this.#from ??= this.#oldest());
      if (since >= from) await (this.#learned ??= this.#learn(from));
    } catch (error) {
      this.#from = undefined;
      this.#learned = undefined;
      throw error;
    }
  }

  async #oldest(): Promise<Revision> {
    const { store, revision, revisions } = this.#options;
    return Math.max(await store.oldestRevision(), revision - revisions);
  }

  async #learn(from: Revision): Promise<void> {
    const { items, revision } = this.#options;
    const begun = new Map([...items.keys()].map((slot) => [slot, slot.resource.history]));
    const past = new Past(this.#options, from);
    if (!(await past.read())) return;
    for (const [slot, history] of past.histories) {
      const present = slot.resource.history;
      // Not when it was trimmed or filled anew meanwhile.
      const same = present === begun.get(slot) || (!begun.has(slot) && isForeign(slot.id));
      if (same && present.start === revision) present.prepend(history);
    }
  }
}

/** Whether a state before or after a change could not be opened. */
function isHidden({ value, previous }: Change): boolean {
  return (value !== undefined && isSealed(value)) || (previous !== undefined && isSealed(previous.value));
}

/** What is being read of the past. */
class Past {
  readonly #options: BackfillOptions;
  readonly #from: Revision;
  readonly histories = new Map<Slot, History>();
  /** The last known state of each key met so far. */
  readonly #known = new Map<string, Item | undefined>();

  constructor(options: BackfillOptions, from: Revision) {
    this.#options = options;
    this.#from = from;
    for (const slot of options.items.keys()) this.histories.set(slot, new History(from));
  }

  /** False when it was aborted. */
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
    const place = this.#options.slots.place(change.key);
    const history = place && this.#historyOf(place.slot);
    if (place === undefined || history === undefined) return;
    const { revision } = change;
    if (isHidden(change)) {
      // by a key that is not there any more: nobody can be told what this was, so what follows is the past
      this.#known.delete(change.key);
      history.restart(revision);
      return;
    }
    const previous = this.#previous(change, place);
    const item = this.#item(change, place, previous ?? undefined);
    this.#known.set(change.key, item);
    if (previous === null) history.restart(revision);
    else if (item !== undefined || previous !== undefined) {
      history.push({ revision, item, previous }, this.#options.second);
    }
  }

  /** Foreign resources that were not there when the cache was filled have a past all the same. */
  #historyOf(slot: Slot): History | undefined {
    const known = this.histories.get(slot);
    if (known !== undefined || !this.#options.foreign || !isForeign(slot.id)) return known;
    const history = new History(this.#from);
    this.histories.set(slot, history);
    return history;
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

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
  /** The state that the histories lead up to. */
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
 * Puts the changes before a listed state into the histories that begin with it, as far back as the store remembers and
 * the bounds allow, so that readers that come from another replica find their revisions here. Live changes may arrive
 * meanwhile. Throws what the store throws. etcd hands out about 10,000 past revisions a second.
 */
export async function backfill(options: BackfillOptions): Promise<void> {
  const { revision } = options;
  const begun = new Map([...options.items.keys()].map((slot) => [slot, slot.resource.history]));
  const past = await readPast(options);
  for (const [slot, history] of past ?? []) {
    const present = slot.resource.history;
    // Not when it was trimmed or filled anew meanwhile.
    if (present === begun.get(slot) && present.start === revision) present.prepend(history);
  }
}

/** Undefined when there is nothing to read, or it was aborted. */
async function readPast(options: BackfillOptions): Promise<ReadonlyMap<Slot, History> | undefined> {
  const { store, prefix, revision, revisions, signal } = options;
  const from = Math.max(await store.oldestRevision(), revision - revisions);
  if (from >= revision || signal.aborted) return undefined;
  const past = new Past(options, from);
  const done = new AbortController();
  const feed = store.feed(prefix, from, { signal: AbortSignal.any([signal, done.signal]), previous: true });
  const nudge = setInterval(() => feed.requestProgress(), PROGRESS_MS);
  try {
    const slice = new TimeSlice();
    for await (const batch of feed) {
      for (const change of batch.changes) {
        if (change.revision <= revision) past.add(change);
        if (slice.over) await slice.yield();
      }
      past.trim();
      nudge.refresh();
      if (batch.revision >= revision) return past.histories;
    }
    return undefined;
  } finally {
    clearInterval(nudge);
    done.abort();
  }
}

/** Histories that grow from the oldest change on. */
class Past {
  readonly histories = new Map<Slot, History>();
  readonly #options: BackfillOptions;
  /** The last known state of each key met so far. */
  readonly #known = new Map<string, Item | undefined>();

  constructor(options: BackfillOptions, from: Revision) {
    this.#options = options;
    for (const slot of options.items.keys()) this.histories.set(slot, new History(from));
  }

  add(change: Change): void {
    const place = this.#options.slots.place(change.key);
    const history = place && this.histories.get(place.slot);
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

  trim(): void {
    trimHistories([...this.histories.values()], this.#options.bytes);
  }

  /** The state before a change; null when the store does not have it any more. */
  #previous(change: Change, place: Place): Item | undefined | null {
    if (this.#known.has(change.key)) return this.#known.get(change.key);
    if (change.previous !== undefined) return this.#options.slots.build(place, change.previous);
    return change.value !== undefined && change.createRevision === change.revision ? undefined : null;
  }

  /** The listed item where it is still the same, so that it is in memory once. */
  #item(change: Change, place: Place, previous: Item | undefined): Item | undefined {
    if (change.value === undefined) return undefined;
    const listed = this.#options.items.get(place.slot)?.get(place.key);
    if (listed?.revision === change.revision) return listed;
    return this.#options.slots.build(place, { value: change.value, revision: change.revision }, previous);
  }
}

import type { ObjectStore, Revision, Stored } from '#storage-etcd/object-store.ts';
import { listAll } from './list-all.ts';
import { isForeign, type Slot, type Slots } from './slots.ts';
import { SortedItems } from './sorted-items.ts';

export interface LoadOptions {
  readonly store: ObjectStore;
  /** Absolute, with a trailing slash. */
  readonly prefix: string;
  readonly slots: Slots;
  /** Items that are in memory already are taken over where the revision is the same: only for the same store. */
  readonly reuse: boolean;
}

/** The store's objects at one revision, for the slots that existed when loading began, and all foreign ones. */
export interface LoadedState {
  readonly revision: Revision;
  readonly items: ReadonlyMap<Slot, SortedItems>;
  /** What was written last of all that the store has, in memory of its own; undefined in an empty store. */
  readonly newest: Stored | undefined;
}

/** Lists everything. Throws as ObjectStore.list. */
export async function loadState(options: LoadOptions): Promise<LoadedState> {
  const { store, prefix, slots, reuse } = options;
  const items = new Map([...slots].map((slot) => [slot, new SortedItems()]));
  let newest: Stored | undefined;
  const take = (stored: Stored): void => {
    if (newest === undefined || stored.revision > newest.revision) newest = stored;
    const place = slots.place(stored.key);
    if (place === undefined) return;
    let sorted = items.get(place.slot);
    if (sorted === undefined) {
      // others that were added meanwhile are listed on their own
      if (!isForeign(place.slot.id)) return;
      items.set(place.slot, (sorted = new SortedItems()));
    }
    const present = reuse ? place.slot.resource.get(place.key) : undefined;
    const item = present?.revision === stored.revision ? present : slots.list(place, stored);
    if (item !== undefined) sorted.set(item);
  };
  const revision = await listAll(store, prefix, take);
  return { revision, items, newest: newest && { ...newest, value: Buffer.from(newest.value) } };
}

/** The objects of one slot at one revision. Throws as ObjectStore.list. */
export async function loadSlot(
  { store, prefix, slots }: Pick<LoadOptions, 'store' | 'prefix' | 'slots'>,
  slot: Slot,
): Promise<{ readonly revision: Revision; readonly items: SortedItems }> {
  const items = new SortedItems();
  const base = `${prefix}${slot.id}/`;
  const revision = await listAll(store, base, (stored) => {
    const item = slots.list({ slot, key: stored.key.slice(base.length) }, stored);
    if (item !== undefined) items.set(item);
  });
  return { revision, items };
}

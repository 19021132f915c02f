import type { ObjectStore, Revision, Stored } from '#storage/object-store.ts';
import { listAll } from './list-all.ts';
import { isCustomResource, type ResourceEntries, type ResourceEntry } from './resource-entries.ts';
import { SortedItems } from './sorted-items.ts';

export interface LoadOptions {
  readonly store: ObjectStore;
  /** Absolute, with a trailing slash. */
  readonly prefix: string;
  readonly entries: ResourceEntries;
  /** Keeps items in memory whose revision has not changed. This is allowed only for the same store. */
  readonly reuse: boolean;
}

/**
 * The store's objects at one revision. They are for the entries that existed when loading began, and for all custom
 * resources.
 */
export interface LoadedState {
  readonly revision: Revision;
  readonly items: ReadonlyMap<ResourceEntry, SortedItems>;
  /** A copy of the store's last written value; undefined if the store is empty. */
  readonly newest: Stored | undefined;
}

/**
 * Lists everything.
 *
 * @throws as ObjectStore.list
 */
export async function loadState(options: LoadOptions): Promise<LoadedState> {
  const { store, prefix, entries, reuse } = options;
  const items = new Map([...entries].map((entry) => [entry, new SortedItems()]));
  let newest: Stored | undefined;
  const take = (stored: Stored): void => {
    if (newest === undefined || stored.revision > newest.revision) newest = stored;
    const located = entries.locate(stored.key);
    if (located === undefined) return;
    let sorted = items.get(located.entry);
    if (sorted === undefined) {
      // If built-in resources were added in the meantime, they are listed separately.
      if (!isCustomResource(located.entry.id)) return;
      items.set(located.entry, (sorted = new SortedItems()));
    }
    const present = reuse ? located.entry.resource.get(located.key) : undefined;
    const item = present?.revision === stored.revision ? present : entries.list(located, stored);
    if (item !== undefined) sorted.set(item);
  };
  const revision = await listAll(store, prefix, take);
  return { revision, items, newest: newest && { ...newest, value: Buffer.from(newest.value) } };
}

/**
 * The objects of one entry at one revision.
 *
 * @throws as ObjectStore.list
 */
export async function loadResource(
  { store, prefix, entries }: Pick<LoadOptions, 'store' | 'prefix' | 'entries'>,
  entry: ResourceEntry,
): Promise<{ readonly revision: Revision; readonly items: SortedItems }> {
  const items = new SortedItems();
  const base = `${prefix}${entry.id}/`;
  const revision = await listAll(store, base, (stored) => {
    const item = entries.list({ entry, key: stored.key.slice(base.length) }, stored);
    if (item !== undefined) items.set(item);
  });
  return { revision, items };
}

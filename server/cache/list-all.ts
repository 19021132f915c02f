import { TimeSlice } from '#base/time/time-slice.ts';
import type { ObjectStore, Page, Revision, Stored } from '#storage/object-store.ts';

const FIRST_PAGE = 200;
const MAX_PAGE = 1000;

/** The desired size of a page, in bytes. Larger pages need fewer calls. Smaller pages do not block the event loop. */
const PAGE_BYTES = 1 << 20;

/**
 * Reads everything under a prefix at one revision, in pages. While the caller handles a page, the next one is already
 * requested. Resolves to the revision.
 *
 * @throws as ObjectStore.list
 */
export async function listAll(store: ObjectStore, prefix: string, take: (stored: Stored) => void): Promise<Revision> {
  let page = await store.list(prefix, { limit: FIRST_PAGE });
  const { revision } = page;
  const slice = new TimeSlice();
  for (;;) {
    const last = page.items.at(-1);
    const next =
      page.more && last !== undefined
        ? store.list(prefix, { at: revision, after: last.key, limit: nextLimit(page) })
        : undefined;
    // The loop below handles its failure after this page.
    next?.catch(() => {});
    for (const stored of page.items) {
      take(stored);
      if (slice.over) await slice.yield();
    }
    if (next === undefined) return revision;
    page = await next;
  }
}

function nextLimit(page: Page): number {
  let bytes = 0;
  for (const { value } of page.items) bytes += value.length;
  const average = Math.max(1, bytes / page.items.length);
  return Math.max(10, Math.min(MAX_PAGE, Math.floor(PAGE_BYTES / average)));
}

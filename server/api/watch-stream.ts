import type { Item, ItemChange } from '../cache/item.ts';
import type { Subscription } from '../cache/resource-cache.ts';
import { type Selection, selects } from './selection.ts';
import type { ServedResource } from './served-resource.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One event of a watch. A DELETED event contains the last state of the object, with the revision of the change. */
export interface WatchEvent {
  readonly type: EventType;
  readonly item: Item;
  readonly revision: number;
}

/** The answer of a watch. `http/write-watch.ts` writes it. */
export interface WatchStream {
  readonly served: ServedResource;
  /** Objects that exist at the start. They are sent as ADDED events. */
  readonly initial: readonly Item[];
  /** The revision at which the watch starts. */
  readonly start: number;
  /** The changes. Undefined means that the version is no longer kept, and the stream has only one ERROR event. */
  readonly subscription: Subscription | undefined;
  readonly selected: Selection;
  readonly bookmarks: boolean;
  /** Whether a bookmark marks the end of the initial objects. */
  readonly marksInitial: boolean;
  /** How long the server keeps the stream open, in milliseconds. */
  readonly timeoutMs: number;
  /** Called with the bytes of each event that is sent. */
  sent?: ((bytes: number) => void) | undefined;
}

/**
 * The event of a change for a watcher with selectors. An object that starts to match is ADDED, and an object that stops
 * to match is DELETED. Undefined means no event.
 */
export function eventOf(change: ItemChange, selected: Selection): WatchEvent | undefined {
  const { item, previous, revision } = change;
  const now = item !== undefined && selects(selected, item);
  const before = previous !== undefined && selects(selected, previous);
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', item, revision };
  return before ? { type: 'DELETED', item: previous, revision } : undefined;
}

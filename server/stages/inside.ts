import type { DataStore } from '#storage/data-store.ts';
import type { Filter } from '../api/filter.ts';

/** The parts of a process that a server inside it uses. */
export interface Inside {
  /** Holds the objects, in place of what the flags name. The server leaves it open. */
  readonly store?: DataStore;
  /** See each request that is authorized, last of all filters. */
  readonly filters?: readonly Filter[];
}

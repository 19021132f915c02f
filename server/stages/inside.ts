import type { DataStore } from '#storage/data-store.ts';
import type { Filter } from '../api/filter.ts';

/** The parts of a process that a server inside it uses. */
export interface Inside {
  /** Stores the objects instead of the store in the flags. The server does not close it. */
  readonly store?: DataStore;
  /** Filters that see each authorized request, after all others. */
  readonly filters?: readonly Filter[];
}

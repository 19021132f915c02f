import type { ObjectStore, Revision } from './object-store.ts';
import type { Traffic } from './traffic.ts';

/** The result of one linearizable look at the store. */
export interface StoreHealth {
  readonly clusterId: string;
  readonly revision: Revision;
}

/**
 * Whether the store is another one than before, because it was replaced or restored from a backup. Then everything that
 * the caller remembers about it is wrong. The caller must ask for `now` only after `before` was answered.
 */
export function wasReplaced(before: StoreHealth, now: StoreHealth): boolean {
  return before.clusterId !== now.clusterId || now.revision < before.revision;
}

/**
 * The object store, with further calls for the part of a program that maintains the store. All stores have this
 * interface.
 */
export interface DataStore extends ObjectStore {
  /**
   * Drops the history before this revision.
   *
   * @throws CompactedError if that history has already been dropped
   */
  compact(revision: Revision): Promise<void>;
  /**
   * Settles requests that failed with OutcomeUnknownError: after this call, the store has done each of them or will
   * never do it. Writes in progress are sent again.
   *
   * @throws OutcomeUnknownError if the store does not answer
   */
  settle(): Promise<void>;
  /**
   * Takes one quick linearizable look at the store.
   *
   * @throws StoreUnavailableError
   */
  health(timeoutMs?: number): Promise<StoreHealth>;
  /**
   * Whether the store has no space and accepts deletions only, by its last answer to a write or to a request for its
   * sizes.
   */
  readonly full: boolean;
  /** All data that the store has sent and received since it was made. */
  readonly traffic: Traffic;
  /**
   * The size of each member's database file in bytes, by the address of the member. Members that do not answer are left
   * out.
   */
  databaseSizes(): Promise<ReadonlyMap<string, number>>;
}

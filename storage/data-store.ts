import type { ObjectStore, Revision } from './object-store.ts';
import type { Traffic } from './traffic.ts';

/** What one linearizable look at the store tells. */
export interface StoreHealth {
  readonly clusterId: string;
  readonly revision: Revision;
}

/**
 * Whether the store behind is another one than before (replaced, or restored from a backup), so that everything
 * remembered about it is void. `now` must have been asked for after `before` was answered.
 */
export function wasReplaced(before: StoreHealth, now: StoreHealth): boolean {
  return before.clusterId !== now.clusterId || now.revision < before.revision;
}

/** The object store, and what only its keeper needs: the one interface of etcd and of what takes its place. */
export interface DataStore extends ObjectStore {
  /**
   * Drops the history before this revision.
   *
   * @throws CompactedError when that has been done already
   */
  compact(revision: Revision): Promise<void>;
  /**
   * After this nothing is done any more that this store was asked for before, and that failed with OutcomeUnknownError:
   * it was done, or never will be. Writes under way are sent again.
   *
   * @throws OutcomeUnknownError where the store does not answer
   */
  settle(): Promise<void>;
  /**
   * One quick linearizable look.
   *
   * @throws StoreUnavailableError
   */
  health(timeoutMs?: number): Promise<StoreHealth>;
  /**
   * Whether the store has no room and takes deletions only, by what it said last: to a write, or when it was asked for
   * sizes.
   */
  readonly full: boolean;
  /** What has gone to and fro since the store was made. */
  readonly traffic: Traffic;
  /** Bytes of each member's database file by its address, without the members that do not answer. */
  databaseSizes(): Promise<ReadonlyMap<string, number>>;
}

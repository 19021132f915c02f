import type { ObjectStore } from '#storage/object-store.ts';
import type { ResourceStats } from './resource-cache.ts';
import type { CacheLog, ResourceSpec } from './resource-entries.ts';

export interface WatchCacheOptions {
  readonly store: ObjectStore;
  /** Prefix of all keys, without a trailing slash. */
  readonly prefix: string;
  readonly resources: readonly ResourceSpec[];
  /**
   * The largest memory of replaced and deleted objects, default 32 MiB. The histories of busy resources are cut first.
   */
  readonly historyBytes?: number;
  /** How long changes are remembered within that limit, default 300. */
  readonly historySeconds?: number;
  /** The number of revisions before its start that a cache reads when a client asks for them, default 10,000. */
  readonly backfillRevisions?: number;
  /** Estimated memory of parsed objects, default 16 MiB. */
  readonly parsedBytes?: number;
  /** The time in milliseconds since the epoch; Date.now by default. */
  readonly clock?: () => number;
  readonly log: CacheLog;
}

export interface CacheStats extends ResourceStats {
  readonly relists: number;
  readonly parsedBytes: number;
}

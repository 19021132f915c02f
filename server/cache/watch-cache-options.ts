import type { ObjectStore } from '#storage/object-store.ts';
import type { ResourceStats } from './resource-cache.ts';
import type { CacheLog, ResourceSpec } from './resource-entries.ts';

export interface WatchCacheOptions {
  readonly store: ObjectStore;
  /** Prefix of all keys, without a trailing slash. */
  readonly prefix: string;
  readonly resources: readonly ResourceSpec[];
  /** How much memory replaced and deleted objects may take, default 32 MiB. Busy resources are cut first. */
  readonly historyBytes?: number;
  /** How long changes are remembered within that bound, default 300. */
  readonly historySeconds?: number;
  /** How many revisions before its start a cache reads when a client asks for them, default 10,000. */
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

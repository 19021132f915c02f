/** The options for opening a store in a file or in memory. */
export interface EmbeddedStoreOptions {
  /** The absolute path of the file. Undefined means that the store is in memory, for as long as the process runs. */
  readonly file: string | undefined;
  /** Called with one sentence when the store has no more room or breaks, and when there is room again. */
  readonly onTrouble?: (message: string) => void;
  /**
   * The number of bytes that the store reserves on the disk, so that deletions and compaction still work when it is
   * full. Default 4 MiB.
   */
  readonly reserveBytes?: number;
  /**
   * The number of bytes of history that may always be kept. A larger history is dropped if it also exceeds two fifths
   * of the live data. Default 64 MiB. With 0, history is dropped only at the request of a caller.
   */
  readonly historyBytes?: number;
  /**
   * The time in which later keys may join a lease, in seconds. Default 60, and never more than 5 % of its time to live.
   */
  readonly leaseWindowSeconds?: number;
  /** A clock in milliseconds that never goes back. It decides when leases end. */
  readonly clock?: () => number;
}

/** The options for opening a store in a file or in memory. */
export interface EmbeddedStoreOptions {
  /** The absolute path of the file; undefined: in memory, for as long as the process runs. */
  readonly file: string | undefined;
  /** Called with one sentence when the store runs out of room or breaks, and when there is room again. */
  readonly onTrouble?: (message: string) => void;
  /**
   * Bytes that the store keeps on the disk, so that deletions and compaction still work when it is full. Default 4 MiB.
   */
  readonly reserveBytes?: number;
  /**
   * This many bytes of history may always be kept. More than that is dropped if it is also more than two fifths of the
   * live data. Default 64 MiB; 0: history is dropped only when a caller asks for it.
   */
  readonly historyBytes?: number;
  /**
   * The time for which later keys may join a lease, in seconds. Default 60, and never more than 5 % of its time to
   * live.
   */
  readonly leaseWindowSeconds?: number;
  /** A clock in milliseconds that never goes back. It decides when leases end. */
  readonly clock?: () => number;
}

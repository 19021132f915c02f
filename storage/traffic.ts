/** The traffic between a store and etcd since the store was made. */
export interface Traffic {
  /** The number of calls that read a range or a key, or ask for a count or a revision. Each attempt counts as one. */
  readonly ranges: number;
  readonly transactions: number;
  /** The bytes of the messages of calls, and of feeds. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** The counter behind {@link Traffic}. */
export class TrafficCounter implements Traffic {
  ranges = 0;
  transactions = 0;
  sentBytes = 0;
  receivedBytes = 0;
}

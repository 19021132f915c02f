/** A revision of the store: a positive integer that a double holds exactly. */
export type Revision = number;

/** A stored value and the revision of its last change. */
export interface Stored {
  readonly key: string;
  /**
   * The bytes of the value, a slice of the received message. The slice keeps the whole message in memory, so a caller
   * copies a value that it keeps for long.
   */
  readonly value: Buffer;
  readonly revision: Revision;
  /** The reason why the server could not decrypt the value, or why it does not accept a value that is not encrypted. */
  readonly problem?: string;
}

/** A slice of a range in key order. */
export interface Page {
  readonly items: readonly Stored[];
  /** The revision at which the slice was read. */
  readonly revision: Revision;
  /** How many keys of the range come after this slice. */
  readonly remaining: number;
  /** Whether more keys follow. The next page starts after the last item's key. */
  readonly more: boolean;
}

/** The slice of a range to read; without a limit the whole range. */
export interface PageRequest {
  readonly at?: Revision;
  readonly limit?: number;
  /** The absolute key after which the slice starts. */
  readonly after?: string;
  /** Whether the values are left empty. */
  readonly keysOnly?: boolean;
  /** Aborts the read, which then fails with StoreUnavailableError. */
  readonly signal?: AbortSignal | undefined;
}

/** A create failed because the key exists. */
export interface Exists {
  readonly outcome: 'exists';
  readonly current: Stored;
}

/** A conditional write found another state; `current` is undefined if the key does not exist. */
export interface Changed {
  readonly outcome: 'changed';
  readonly current: Stored | undefined;
}

/** A committed write. */
export interface Written {
  readonly outcome: 'written';
  readonly revision: Revision;
}

/** A condition of a transaction: the key must have this mod revision. 0 means that it must be absent. */
export interface Condition {
  readonly key: string;
  readonly revision: Revision;
}

/**
 * One write of a transaction. With a value it is a put, with an optional time to live in seconds. Without a value it is
 * a delete.
 */
export interface Write {
  readonly key: string;
  readonly value?: Uint8Array;
  readonly ttlSeconds?: number;
}

/** A transaction that did not commit: the current values of all keys in its conditions, in their order. */
export interface TransactionChanged {
  readonly outcome: 'changed';
  readonly current: readonly (Stored | undefined)[];
}

/** One change in the feed. */
export interface Change {
  readonly key: string;
  readonly revision: Revision;
  /** The new value, as in {@link Stored}; undefined for a delete. */
  readonly value: Buffer | undefined;
  /** The revision that created the key. It equals `revision` for a create. */
  readonly createRevision: Revision;
  /** The previous value, if the feed requests it and the store still has it. */
  readonly previous: Stored | undefined;
}

/** One item of a feed. Items come in revision order, and each has all changes of its revisions. */
export interface Batch {
  readonly changes: readonly Change[];
  /** The feed has yielded everything up to and including this revision. */
  readonly revision: Revision;
}

export interface FeedOptions {
  readonly signal: AbortSignal;
  /** Whether a change has the value before it, if the store still has that value. */
  readonly previous?: boolean;
}

/**
 * A stream of changes that can be iterated once. It ends with {@link CompactedError} or {@link FeedBrokenError}, or
 * without an error if aborted.
 */
export interface Feed extends AsyncIterable<Batch> {
  /**
   * Asks the store for its present revision. The feed then yields an empty batch with this revision, unless the request
   * fails.
   */
  requestProgress(): void;
}

/** The requested revision is compacted. */
export class CompactedError extends Error {
  /** The oldest revision that can still be read. */
  readonly compactRevision: Revision;

  constructor(compactRevision: Revision) {
    super(`the revision is compacted; the oldest is ${compactRevision}`);
    this.name = 'CompactedError';
    this.compactRevision = compactRevision;
  }
}

/** The revision asked for does not exist yet. */
export class FutureRevisionError extends Error {
  constructor() {
    super('the revision is in the future');
    this.name = 'FutureRevisionError';
  }
}

/** The feed's connection ended. The caller opens another feed after the last revision that it has seen. */
export class FeedBrokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FeedBrokenError';
  }
}

/** The store cannot be reached or did not answer in time; nothing was written. */
export class StoreUnavailableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreUnavailableError';
  }
}

/** The store has reached its quota: it accepts deletions only, and did not do this write. */
export class StoreFullError extends StoreUnavailableError {
  constructor(message: string) {
    super(message);
    this.name = 'StoreFullError';
  }
}

/** The encryption has no key for the value, so nothing was written. */
export class NotEncryptedError extends StoreUnavailableError {
  constructor(message: string) {
    super(message);
    this.name = 'NotEncryptedError';
  }
}

/** A write was sent, and the store could not find out its outcome. */
export class OutcomeUnknownError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OutcomeUnknownError';
  }
}

/** The value is larger than the store allows. */
export class ValueTooLargeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValueTooLargeError';
  }
}

/**
 * Stores objects by key and revision. It knows neither kinds nor HTTP. Keys are absolute. Every call has a deadline.
 */
export interface ObjectStore {
  /**
   * The value of one key, now or at a revision.
   *
   * @throws CompactedError, FutureRevisionError, StoreUnavailableError
   */
  get(key: string, at?: Revision): Promise<Stored | undefined>;
  /**
   * A page of the keys that start with `prefix`, after the absolute key `after`.
   *
   * @throws as `get`
   */
  list(prefix: string, page: PageRequest): Promise<Page>;
  /** How many keys start with `prefix`. */
  count(prefix: string): Promise<number>;
  create(key: string, value: Uint8Array, ttlSeconds?: number): Promise<Written | Exists>;
  /** Replaces the value. A put without a time to live removes the time to live of an earlier put. */
  update(key: string, expected: Revision, value: Uint8Array, ttlSeconds?: number): Promise<Written | Changed>;
  remove(key: string, expected: Revision): Promise<Written | Changed>;
  /** Does every write at one revision if every condition holds. Otherwise it does none. */
  transact(conditions: readonly Condition[], writes: readonly Write[]): Promise<Written | TransactionChanged>;
  /**
   * Whether the store would keep this value in another form today, for example because it is encrypted with an old key.
   * The value was written under the key at the revision. Rejects like `get`. Absent if the store keeps values as they
   * are given.
   */
  isStale?(key: string, revision: Revision): Promise<boolean>;
  /** The store's current revision, by a linearizable read. Each call takes one round trip, so callers share calls. */
  currentRevision(): Promise<Revision>;
  /** The oldest revision that can still be read. A feed can still begin after it. */
  oldestRevision(): Promise<Revision>;
  /**
   * The changes under `prefix` after the revision `after`. Throws CompactedError if that revision can no longer be
   * read, and FutureRevisionError if the store has not reached it (after a restore). The changes include keys that the
   * store uses itself.
   */
  feed(prefix: string, after: Revision, options: FeedOptions): Feed;
  /** The id of the store. Another id means another store, for example after a restore. */
  clusterId(): Promise<string>;
  close(): Promise<void>;
}

/** A revision of the store: a positive integer, exact as a double. */
export type Revision = number;

/** A stored value and the revision of its last change. */
export interface Stored {
  readonly key: string;
  /**
   * A slice of the received message. It keeps the whole message in memory, so callers copy a value that they keep for
   * long.
   */
  readonly value: Buffer;
  readonly revision: Revision;
  /** The reason why the value could not be decrypted, if it is encrypted or should be. */
  readonly problem?: string;
}

/** A slice of a range in key order. */
export interface Page {
  readonly items: readonly Stored[];
  /** The revision the slice was read at. */
  readonly revision: Revision;
  /** How many keys of the range come after this slice. */
  readonly remaining: number;
  /** Whether there are more; the next page starts after the last item's key. */
  readonly more: boolean;
}

/** The slice of a range to read; without a limit the whole range. */
export interface PageRequest {
  readonly at?: Revision;
  readonly limit?: number;
  /** The absolute key after which the slice starts. */
  readonly after?: string;
  /** Leave the values empty. */
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

/** A check before a transaction: the key's mod revision; 0 means absent. */
export interface Condition {
  readonly key: string;
  readonly revision: Revision;
}

/** One write of a transaction: a put (with an optional time to live, in seconds) or, without a value, a delete. */
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
  /** The first revision of the key's present life; equals `revision` for a create. */
  readonly createRevision: Revision;
  /** The previous value, if the feed requests it and the store still has it. */
  readonly previous: Stored | undefined;
}

/** One item of a feed, in revision order: complete revisions only. */
export interface Batch {
  readonly changes: readonly Change[];
  /** Everything up to and including this revision has been yielded. */
  readonly revision: Revision;
}

export interface FeedOptions {
  readonly signal: AbortSignal;
  /** Deliver the value before each change, if the store still has it. */
  readonly previous?: boolean;
}

/**
 * A stream of changes that can be iterated once. It ends with {@link CompactedError} or {@link FeedBrokenError}, or
 * without an error if aborted.
 */
export interface Feed extends AsyncIterable<Batch> {
  /** Asks the store for its present revision, so that the feed yields an empty batch with it. Best effort. */
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

/** The feed's connection ended; open another one after the last revision seen. */
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

/** The encryption of values has no key, so nothing was written. */
export class NotEncryptedError extends StoreUnavailableError {
  constructor(message: string) {
    super(message);
    this.name = 'NotEncryptedError';
  }
}

/** A write was sent and its outcome could not be found out. */
export class OutcomeUnknownError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OutcomeUnknownError';
  }
}

/** The value is larger than the store takes. */
export class ValueTooLargeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValueTooLargeError';
  }
}

/** Objects by key and revision; no kinds, no HTTP. Keys are absolute. Every call has a deadline. */
export interface ObjectStore {
  /**
   * The value of one key, now or at a revision.
   *
   * @throws CompactedError, FutureRevisionError, StoreUnavailableError
   */
  get(key: string, at?: Revision): Promise<Stored | undefined>;
  /**
   * Keys that start with `prefix`, after the absolute key `after`.
   *
   * @throws as `get`
   */
  list(prefix: string, page: PageRequest): Promise<Page>;
  /** How many keys start with `prefix`. */
  count(prefix: string): Promise<number>;
  create(key: string, value: Uint8Array, ttlSeconds?: number): Promise<Written | Exists>;
  /** A put without the time to live drops an earlier one. */
  update(key: string, expected: Revision, value: Uint8Array, ttlSeconds?: number): Promise<Written | Changed>;
  remove(key: string, expected: Revision): Promise<Written | Changed>;
  /** All or nothing: when every condition holds, does every write at one revision. */
  transact(conditions: readonly Condition[], writes: readonly Write[]): Promise<Written | TransactionChanged>;
  /**
   * Whether a value, written under a key at a revision, would be stored in another form today, for example because it
   * is encrypted with an old key. Rejects like `get`. Absent if the store keeps values as they are given.
   */
  isStale?(key: string, revision: Revision): Promise<boolean>;
  /** The store's current revision, linearizable. One round trip each; callers batch. */
  currentRevision(): Promise<Revision>;
  /** The oldest revision that can still be read, and after which changes can still be fed. */
  oldestRevision(): Promise<Revision>;
  /**
   * The changes under `prefix` after the revision `after`, which must still be readable. Throws CompactedError
   * otherwise, and FutureRevisionError if the store has not reached it (after a restore). Keys of the store's own are
   * included.
   */
  feed(prefix: string, after: Revision, options: FeedOptions): Feed;
  /** Changes to the id mean another store (restored, replaced). */
  clusterId(): Promise<string>;
  close(): Promise<void>;
}

/** A stored value. */
export interface RawValue {
  readonly key: string;
  readonly value: Buffer;
  readonly revision: number;
  /** The lease; `0` if there is none. */
  readonly lease: string;
}

/** The required revision of the last write of a key. 0 means that the key must be absent. */
export interface KeyCondition {
  readonly key: string;
  readonly revision: number;
}

/** The status of a member, or the reason why it is unknown. Numbers are decimal texts. */
export interface Member {
  readonly address: string;
  readonly status?: {
    readonly version: string;
    readonly leader: string;
    readonly header: { readonly revision: string; readonly member_id: string };
    readonly dbSize: string;
  };
  readonly problem?: string;
}

/** The data that the tool reads and writes. It is in etcd or in a file. */
export interface Backend {
  /** Its address, for messages. */
  readonly address: string;
  /** The id of the store. A store that replaces another one has another id. */
  id(): Promise<string>;
  /** `anyMember` asks for the value of any member. It may be outdated, but it needs no majority. */
  get(key: string, anyMember?: boolean): Promise<RawValue | undefined>;
  /**
   * Reads all values under a prefix in the order of the keys, after the key `after`. It reads at one revision and
   * resolves to it. If the revision is compacted during the read, the remaining values are read at a newer one.
   */
  each(prefix: string, take: (value: RawValue) => void | Promise<void>, after?: string): Promise<number>;
  /** Writes or removes a key if all conditions hold. Resolves to whether they did. */
  write(key: string, value: Buffer | undefined, conditions: readonly KeyCondition[], lease?: string): Promise<boolean>;
  /** Writes a key unconditionally. Resolves to the revision. */
  put(key: string, value?: Buffer, lease?: string): Promise<number>;
  /** The remaining seconds of a lease; undefined if it has ended. */
  secondsLeft(lease: string): Promise<number | undefined>;
  /** A lease for this many seconds. */
  grant(seconds: number): Promise<string>;
  /** Makes the store continue at this revision or a later one, if it is at an earlier one. */
  raise(revision: number, onProgress: (done: number, total: number) => void): Promise<void>;
  members(): Promise<readonly Member[]>;
  alarms(): Promise<string[]>;
  /** Drops history up to a revision, and removes it from the database. */
  compact(revision: number): Promise<void>;
  /** Makes one member free unused space. The member does not answer during that time. */
  defragment(address: string): Promise<void>;
  /** A snapshot of the database, in pieces, with a checksum at the end. Absent if `copyTo` makes the copy. */
  snapshot?(take: (piece: Buffer, remaining: number) => Promise<void>): Promise<void>;
  /** Copies the data into a file; absent for stores with snapshots. */
  copyTo?(file: string): Promise<void>;
  close(): Promise<void>;
}

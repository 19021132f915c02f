/** A stored value. */
export interface RawValue {
  readonly key: string;
  readonly value: Buffer;
  readonly revision: number;
  /** `0` if it has none. */
  readonly lease: string;
}

/** The required revision of the last write of a key; 0: the key must be absent. */
export interface KeyCondition {
  readonly key: string;
  readonly revision: number;
}

/** The status of a member, or the reason why there is none. Numbers are decimal texts. */
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

/** The data as the tool reads and writes it: etcd, or a file. */
export interface Backend {
  /** Its address, for messages. */
  readonly address: string;
  /** Changes when the store is replaced. */
  id(): Promise<string>;
  /** `anyMember`: the value of any member, which may be behind; this needs no majority. */
  get(key: string, anyMember?: boolean): Promise<RawValue | undefined>;
  /**
   * Reads all values under a prefix in the order of the keys, at one revision, and resolves to that revision. If the
   * revision is compacted meanwhile, the remaining values are read at a newer one. Reading starts after the key
   * `after`.
   */
  each(prefix: string, take: (value: RawValue) => void | Promise<void>, after?: string): Promise<number>;
  /** Writes (or removes) a key if all conditions hold. Resolves to whether they did. */
  write(key: string, value: Buffer | undefined, conditions: readonly KeyCondition[], lease?: string): Promise<boolean>;
  /** Writes a key unconditionally. Resolves to the revision. */
  put(key: string, value?: Buffer, lease?: string): Promise<number>;
  /** The remaining seconds of a lease; undefined if it has ended. */
  secondsLeft(lease: string): Promise<number | undefined>;
  /** A lease for this many seconds. */
  grant(seconds: number): Promise<string>;
  /** Continues at or after this revision, if the store is before it. */
  raise(revision: number, onProgress: (done: number, total: number) => void): Promise<void>;
  members(): Promise<readonly Member[]>;
  alarms(): Promise<string[]>;
  /** Drops history up to a revision, and removes it from the database. */
  compact(revision: number): Promise<void>;
  /** Makes one member release free space; the member does not answer during that time. */
  defragment(address: string): Promise<void>;
  /** A snapshot of the database, in pieces, with a checksum behind it; absent where `copyTo` makes one. */
  snapshot?(take: (piece: Buffer, remaining: number) => Promise<void>): Promise<void>;
  /** Copies the data into a file; absent for stores with snapshots. */
  copyTo?(file: string): Promise<void>;
  close(): Promise<void>;
}

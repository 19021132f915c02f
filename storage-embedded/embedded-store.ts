import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { DataStore, StoreHealth } from '#storage/data-store.ts';
import {
  type Changed,
  CompactedError,
  type Condition,
  type Exists,
  type FeedOptions,
  FutureRevisionError,
  type PageRequest,
  type Revision,
  type Stored,
  type TransactionChanged,
  ValueTooLargeError,
  type Write,
  type Written,
} from '#storage/object-store.ts';
import { TrafficCounter } from '#storage/traffic.ts';
import { CommitQueue } from './commit-queue.ts';
import { type Disk, FileDisk, noDisk } from './disk.ts';
import { storeError } from './failure.ts';
import { Feeds } from './feeds.ts';
import { HISTORY_BYTES, HistoryLimit } from './history-limit.ts';
import { revisionOf } from './ids.ts';
import { Leases } from './leases.ts';
import { loadSqlite } from './load-sqlite.ts';
import { closeFile, openFile, openMemory } from './open-database.ts';
import type { EmbeddedStoreOptions } from './options.ts';
import { giveBack, sayOwner, take, unsayOwner } from './owner.ts';
import { Pages } from './pages.ts';
import { Purge } from './purge.ts';
import { Reads } from './reads.ts';
import { type ChangeRow, keyOf } from './rows.ts';
import { Statements } from './statements.ts';
import type { LeasedWrite } from './transaction.ts';

/** The default limits of etcd (`--max-txn-ops`, `--max-request-bytes`). Both stores accept the same requests. */
const MAX_WRITES = 128;
const MAX_CONDITIONS = MAX_WRITES - 1;
const MAX_BYTES = 1.5 * 1024 * 1024;

/** How many bytes of the disk are reserved for deletions. */
const RESERVE_BYTES = 4 * 1024 * 1024;

/** The time for which keys join a lease, the same as with etcd. */
const LEASE_WINDOW_SECONDS = 60;

/**
 * The number of bytes to report for a rewrite of the file: enough to cause a checkpoint, which moves the log into the
 * file.
 */
const VACUUMED_BYTES = 64 * 1024 * 1024;

/** The revision of an empty store. An empty etcd has the same. */
const FIRST_REVISION = 1;

/** A store in a file or in memory, with calls that only maintenance tools need. */
export interface EmbeddedStore extends DataStore {
  /**
   * Continues at this revision and drops the earlier history. It is for objects that were copied from another store.
   */
  raise(revision: Revision): Promise<void>;
  /** Like in every store, but a write may also join an existing lease. */
  transact(conditions: readonly Condition[], writes: readonly LeasedWrite[]): Promise<Written | TransactionChanged>;
  /** The lease of a key, with its remaining seconds; undefined if the key has no time to live. */
  leaseOf(key: string): Promise<{ readonly id: number; readonly seconds: number } | undefined>;
  /** Writes the file again without its free space. While it runs, it needs the same space again. */
  defragment(): Promise<void>;
  /** Writes a file with the same content, in the state of a closed store. The file must not exist. */
  copyTo(file: string): Promise<void>;
  /** Resolves when the rows that compaction drops are deleted and their space is free. */
  purged(): Promise<void>;
}

/**
 * Opens a store in a file or in memory. A missing file is created. This process owns the file until the store is closed
 * or the process ends.
 *
 * @throws ConfigError with advice, if the file cannot be used or this Node.js lacks a needed function
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const Database = await loadSqlite();
  if (options.file === undefined) return facade(new OpenStore(openMemory(Database), noDisk, options));
  const file = realPath(options.file);
  take(file);
  let db: DatabaseSync | undefined;
  try {
    db = openFile(Database, file);
    sayOwner(file);
    return facade(
      new OpenStore(db, new FileDisk(db, file, options.reserveBytes ?? RESERVE_BYTES), { ...options, file }),
    );
  } catch (error) {
    db?.close();
    giveBack(file);
    throw error;
  }
}

/** The store as a plain object, so that callers can take its functions separately and wrap them. */
function facade(store: OpenStore): EmbeddedStore {
  return {
    get: (key, at) => store.get(key, at),
    list: (prefix, page) => store.list(prefix, page),
    count: (prefix) => store.count(prefix),
    create: (key, value, ttlSeconds) => store.create(key, value, ttlSeconds),
    update: (key, expected, value, ttlSeconds) => store.update(key, expected, value, ttlSeconds),
    remove: (key, expected) => store.remove(key, expected),
    transact: (conditions, writes) => store.transact(conditions, writes),
    currentRevision: () => store.currentRevision(),
    oldestRevision: () => store.oldestRevision(),
    feed: (prefix, after, options) => store.feed(prefix, after, options),
    compact: (revision) => store.compact(revision),
    raise: (revision) => store.raise(revision),
    purged: () => store.purged(),
    leaseOf: (key) => store.leaseOf(key),
    defragment: () => store.defragment(),
    copyTo: (file) => store.copyTo(file),
    settle: () => store.settle(),
    health: () => store.health(),
    clusterId: () => store.clusterId(),
    get full() {
      return store.full;
    },
    traffic: store.traffic,
    databaseSizes: () => store.databaseSizes(),
    close: () => store.close(),
  };
}

class OpenStore implements EmbeddedStore {
  readonly traffic = new TrafficCounter();
  readonly #db: DatabaseSync;
  readonly #disk: Disk;
  readonly #file: string | undefined;
  readonly #id: string;
  readonly #pages: Pages;
  readonly #statements: Statements;
  readonly #queue: CommitQueue;
  readonly #reads: Reads;
  readonly #feeds: Feeds;
  readonly #leases: Leases;
  readonly #purge: Purge;
  /** Undefined if history is dropped only at the request of a caller. */
  readonly #limit: HistoryLimit | undefined;
  #limiting = false;
  #compacted: Revision;
  #closing: Promise<void> | undefined;

  constructor(db: DatabaseSync, disk: Disk, options: EmbeddedStoreOptions) {
    const { file, onTrouble = () => {}, clock = () => performance.now() } = options;
    this.#db = db;
    this.#disk = disk;
    this.#file = file;
    this.#pages = new Pages(db);
    const statements = new Statements(db);
    this.#statements = statements;
    this.#id = statements.state('id');
    this.#compacted = Number(statements.state('compacted'));
    const last = Number(db.prepare('SELECT max(id) AS id FROM changes').get()?.['id'] ?? 0);
    const revision = Math.max(FIRST_REVISION, this.#compacted, revisionOf(last));
    const leases = db.prepare('SELECT id, seconds FROM leases').all();
    this.#leases = new Leases(
      leases.map(({ id, seconds }) => [Number(id), Number(seconds)]),
      options.leaseWindowSeconds ?? LEASE_WINDOW_SECONDS,
      clock,
    );
    this.#queue = new CommitQueue({
      statements,
      leases: this.#leases,
      disk,
      revision,
      onTrouble,
      publish: (changes, now) => {
        this.#feeds.publish(changes, now);
        this.#limitHistory(changes, now);
      },
    });
    const source = { statements, committed: () => this.#queue.revision, compacted: () => this.#compacted };
    this.#feeds = new Feeds(source, revision);
    this.#reads = new Reads(source);
    const purged = Number(statements.state('purged'));
    this.#purge = new Purge(this.#pages, this.#queue, this.#reads.pins, { purged, compacted: this.#compacted });
    this.#purge.upTo(this.#compacted);
    const { historyBytes = HISTORY_BYTES } = options;
    this.#limit = historyBytes === 0 ? undefined : new HistoryLimit(historyBytes, this.#compacted);
    this.#leases.begin((lease) => this.#queue.do((transaction) => transaction.endLease(lease), true));
  }

  async get(key: string, at?: Revision): Promise<Stored | undefined> {
    return this.#reading(() => this.#reads.get(key, at));
  }

  async list(prefix: string, page: PageRequest) {
    return this.#reading(() => this.#reads.list(prefix, page));
  }

  async count(prefix: string): Promise<number> {
    return this.#reading(() => this.#reads.count(prefix));
  }

  async create(key: string, value: Uint8Array, ttlSeconds?: number): Promise<Written | Exists> {
    const result = await this.transact([{ key, revision: 0 }], [put(key, value, ttlSeconds)]);
    return result.outcome === 'written' ? result : { outcome: 'exists', current: result.current[0]! };
  }

  async update(key: string, expected: Revision, value: Uint8Array, ttlSeconds?: number): Promise<Written | Changed> {
    const result = await this.transact([{ key, revision: expected }], [put(key, value, ttlSeconds)]);
    return result.outcome === 'written' ? result : { outcome: 'changed', current: result.current[0] };
  }

  async remove(key: string, expected: Revision): Promise<Written | Changed> {
    const result = await this.transact([{ key, revision: expected }], [{ key }]);
    return result.outcome === 'written' ? result : { outcome: 'changed', current: result.current[0] };
  }

  async transact(
    conditions: readonly Condition[],
    writes: readonly LeasedWrite[],
  ): Promise<Written | TransactionChanged> {
    check(conditions, writes);
    this.traffic.transactions++;
    for (const { value } of writes) this.traffic.sentBytes += value?.length ?? 0;
    const frees = writes.every(({ value }) => value === undefined);
    return this.#queue.do((transaction): Written | TransactionChanged => {
      if (transaction.holds(conditions)) return { outcome: 'written', revision: transaction.write(writes) };
      return { outcome: 'changed', current: conditions.map(({ key }) => transaction.stored(key)) };
    }, frees);
  }

  async currentRevision(): Promise<Revision> {
    return this.#reading(() => this.#queue.revision);
  }

  async oldestRevision(): Promise<Revision> {
    return this.#reading(() => Math.max(FIRST_REVISION, this.#compacted));
  }

  feed(prefix: string, after: Revision, options: FeedOptions) {
    return this.#feeds.open(prefix, after, options);
  }

  async compact(revision: Revision): Promise<void> {
    if (revision > this.#queue.revision) throw new FutureRevisionError();
    if (revision <= this.#compacted) throw new CompactedError(this.#compacted);
    await this.#compactTo(revision);
  }

  async raise(revision: Revision): Promise<void> {
    if (revision <= this.#queue.revision) return;
    await this.#compactTo(revision);
    this.#feeds.publish([], this.#queue.revision);
  }

  async purged(): Promise<void> {
    await this.#purge.idle();
  }

  async leaseOf(key: string): Promise<{ readonly id: number; readonly seconds: number } | undefined> {
    return this.#reading(() => {
      const row = this.#statements.key.get(key);
      const id = row === undefined ? 0 : keyOf(row).lease;
      const seconds = id === 0 ? undefined : this.#leases.secondsLeft(id);
      return seconds === undefined ? undefined : { id, seconds };
    });
  }

  async defragment(): Promise<void> {
    await this.#queue.idle();
    await this.#reading(() => this.#db.exec('VACUUM'));
    // The VACUUM has written the whole file through the log.
    await this.#queue.do((transaction) => void (transaction.bytes += VACUUMED_BYTES), true);
  }

  async copyTo(file: string): Promise<void> {
    await this.#reading(() => {
      this.#db.prepare('VACUUM INTO ?').run(file);
      const copy = new (this.#db.constructor as typeof DatabaseSync)(file);
      copy.exec("PRAGMA synchronous = FULL; UPDATE state SET value = 'yes' WHERE name = 'closed'");
      copy.close();
    });
  }

  async settle(): Promise<void> {
    await this.#queue.idle();
  }

  async health(): Promise<StoreHealth> {
    return this.#reading(() => ({ clusterId: this.#id, revision: this.#queue.revision }));
  }

  async clusterId(): Promise<string> {
    return (await this.health()).clusterId;
  }

  get full(): boolean {
    return this.#disk.full;
  }

  async databaseSizes(): Promise<ReadonlyMap<string, number>> {
    const name = this.#file === undefined ? 'memory:' : `sqlite://${this.#file}`;
    return this.#reading(() => new Map([[name, this.#pages.bytes]]));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#leases.end();
    await this.#purge.end();
    await this.#queue.idle();
    const wasBroken = await this.#queue.durable().then(
      () => false,
      () => true,
    );
    this.#queue.refuse('the store was closed');
    this.#feeds.close();
    if (this.#file === undefined || wasBroken) this.#db.close();
    else closeFile(this.#db);
    this.#disk.close();
    if (this.#file === undefined) return;
    unsayOwner(this.#file);
    giveBack(this.#file);
  }

  /**
   * Records that history before a revision is dropped. Readers of this process know it before the purge starts, so no
   * running read fails.
   */
  async #compactTo(revision: Revision): Promise<void> {
    await this.#queue.do((transaction) => {
      transaction.statements.setState.run(String(revision), 'compacted');
      transaction.revision = Math.max(transaction.revision, revision);
      transaction.bytes += 1;
    }, true);
    this.#compacted = Math.max(this.#compacted, revision);
    this.#limit?.dropped(this.#compacted);
    this.#purge.upTo(this.#compacted);
  }

  /** Drops history early if it takes too much space. */
  #limitHistory(changes: readonly ChangeRow[], now: Revision): void {
    this.#limit?.note(changes, now);
    // While history is being dropped, the amount of live data is unknown.
    if (this.#limit?.mayBeOver !== true || this.#purge.running || this.#limiting) return;
    const revision = this.#limit.excess(this.#pages.usedBytes);
    if (revision === undefined || revision <= this.#compacted) return;
    this.#limiting = true;
    // The queue has reported the error. The next write tries again.
    void this.#compactTo(revision)
      .catch(() => {})
      .finally(() => {
        this.#limiting = false;
      });
  }

  /** Answers a read after all data that it may have read is durable. */
  async #reading<T>(read: () => T | Promise<T>): Promise<T> {
    this.traffic.ranges++;
    this.#queue.usable();
    let result: T;
    try {
      result = await read();
    } catch (error) {
      throw storeError(error);
    }
    await this.#queue.durable();
    return result;
  }
}

/** Refuses the same writes as etcd. */
function check(conditions: readonly Condition[], writes: readonly Write[]): void {
  if (conditions.length > MAX_CONDITIONS || writes.length > MAX_WRITES) {
    throw new RangeError(
      `a transaction takes at most ${MAX_CONDITIONS} conditions and ${MAX_WRITES} writes, not ${conditions.length} and ${writes.length}`,
    );
  }
  if (writes.length > 1 && new Set(writes.map(({ key }) => key)).size < writes.length)
    throw new RangeError('a transaction takes each key once');
  let bytes = 0;
  for (const { key, value } of writes) bytes += Buffer.byteLength(key) + (value?.length ?? 0);
  if (bytes > MAX_BYTES) throw new ValueTooLargeError(`the store takes at most ${MAX_BYTES} bytes in a transaction`);
}

function put(key: string, value: Uint8Array, ttlSeconds: number | undefined): Write {
  return ttlSeconds === undefined ? { key, value } : { key, value, ttlSeconds };
}

/** The real path of a file, whatever links lead to it. So each file has only one name here. */
function realPath(file: string): string {
  const absolute = path.resolve(file);
  try {
    return realpathSync(absolute);
  } catch {
    return absolute;
  }
}

import type { Condition, Revision, Stored, Write } from '#storage/object-store.ts';
import { checksumOf } from './checksum.ts';
import { idOf, revisionOf } from './ids.ts';
import { type Leases, MOST_KEYS } from './leases.ts';
import { type ChangeRow, changeOf, type KeyRow, keyOf } from './rows.ts';
import type { Statements } from './statements.ts';

/** The disk space of a write besides its value, in bytes. It is for the pages of the tables that it changes. */
const OVERHEAD = 3 * 4_096;

/** A write that may join an existing lease. */
export interface LeasedWrite extends Write {
  /** The id of the lease; if it is 0 or missing, the time to live decides. */
  readonly lease?: number;
}

/** One transaction of the database, with the work of several callers. */
export class Transaction {
  readonly statements: Statements;
  /** The revision of the store after the work in this transaction so far. */
  revision: Revision;
  /** The changes so far, in order. */
  readonly changes: ChangeRow[] = [];
  /** The approximate number of bytes that it writes to the disk. */
  bytes = 0;
  readonly #leases: Leases;

  constructor(statements: Statements, leases: Leases, revision: Revision) {
    this.statements = statements;
    this.#leases = leases;
    this.revision = revision;
  }

  /** The latest change of a key; undefined if there was none, or if its row is deleted. */
  key(key: string): KeyRow | undefined {
    const row = this.statements.key.get(key);
    return row === undefined ? undefined : keyOf(row);
  }

  /** The present value of a key. */
  stored(key: string): Stored | undefined {
    const row = this.key(key);
    if (row === undefined || row.created === 0) return undefined;
    const { value } = changeOf(this.statements.change.get(row.id));
    return { key, value: value!, revision: revisionOf(row.id) };
  }

  /** Whether every key was last written at its revision. */
  holds(conditions: readonly Condition[]): boolean {
    return conditions.every(({ key, revision }) => {
      const row = this.key(key);
      return (row === undefined || row.created === 0 ? 0 : revisionOf(row.id)) === revision;
    });
  }

  /** Does writes at one revision and returns this revision. Without writes it returns the present revision. */
  write(writes: readonly LeasedWrite[]): Revision {
    const revision = this.revision + 1;
    let place = 0;
    for (const { key, value, ttlSeconds, lease: given = 0 } of writes) {
      const before = this.key(key);
      const isThere = before !== undefined && before.created > 0;
      if (value === undefined && !isThere) continue;
      const id = idOf(revision, place++);
      const created = isThere ? before.created : revision;
      const timed = ttlSeconds === undefined ? given : this.#leases.leaseFor(ttlSeconds, this.statements);
      const lease = value === undefined ? 0 : timed;
      const bytes = value ?? null;
      const previous = before?.id ?? 0;
      this.statements.insertChange.run(id, previous, created, key, checksumOf(id, created, key, bytes), bytes);
      const put = before === undefined ? this.statements.insertKey : this.statements.updateKey;
      put.run(id, value === undefined ? 0 : created, lease, key);
      this.changes.push({ id, previous, created, key, value: value && asBuffer(value) });
      this.bytes += OVERHEAD + (value?.length ?? 0);
    }
    if (place > 0) this.revision = revision;
    return this.revision;
  }

  /** Removes the keys of a lease at one revision, and the lease. */
  endLease(lease: number): void {
    const keys = this.statements.leased.all(lease, MOST_KEYS) as unknown as readonly (readonly [string])[];
    this.write(keys.map(([key]) => ({ key })));
    this.statements.deleteLease.run(lease);
    this.bytes += OVERHEAD;
  }
}

function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

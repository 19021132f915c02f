import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { checkSum } from './checksum.ts';

/** A change as it is stored. */
export interface ChangeRow {
  readonly id: number;
  /** The previous change of the same key; 0 if there is none. */
  readonly previous: number;
  /** The revision that created the key. */
  readonly created: number;
  readonly key: string;
  /** Undefined if the key was removed. */
  readonly value: Buffer | undefined;
}

/** The latest change of a key. */
export interface KeyRow {
  readonly id: number;
  /** 0 if the key was removed. */
  readonly created: number;
  /** 0 means no lease. */
  readonly lease: number;
}

/**
 * A change from a row of id, previous, created, key, checksum and value. It is compared with its checksum.
 *
 * @throws StoreDamagedError
 */
export function changeOf(row: unknown): ChangeRow {
  const [id, previous, created, key, sum, bytes] = row as [number, number, number, string, number, Uint8Array | null];
  checkSum(sum, id, created, key, bytes);
  const value = bytes === null ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { id, previous, created, key, value };
}

/** The latest change of a key from a row of id, created and lease. */
export function keyOf(row: unknown): KeyRow {
  const [id, created, lease] = row as [number, number, number];
  return { id, created, lease };
}

/**
 * The largest number of bytes of values to read at once, except for a single larger value. More bytes would delay other
 * work.
 */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * The changes that a statement returns, compared with their checksums. If their values are too large, only the first
 * changes are returned, and `whole` is false.
 *
 * @throws StoreDamagedError
 */
export function readChanges(
  statement: StatementSync,
  ...given: readonly SQLInputValue[]
): { readonly changes: ChangeRow[]; readonly whole: boolean } {
  const changes: ChangeRow[] = [];
  let bytes = 0;
  for (const row of statement.iterate(...given)) {
    if (bytes > MOST_BYTES) return { changes, whole: false };
    const change = changeOf(row);
    changes.push(change);
    bytes += change.value?.length ?? 0;
  }
  return { changes, whole: true };
}

/** Rows that a statement returns as lists. */
export type Rows = readonly (readonly SQLOutputValue[])[];

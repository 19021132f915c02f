import type { SQLOutputValue } from 'node:sqlite';
import { checkSum } from './checksum.ts';

/** A change as it is stored. */
export interface ChangeRow {
  readonly id: number;
  /** The change before it of the same key; 0 where there is none. */
  readonly previous: number;
  /** The revision at which the life of the key began that it belongs to. */
  readonly created: number;
  readonly key: string;
  /** Undefined where the key was removed. */
  readonly value: Buffer | undefined;
}

/** The latest change of a key. */
export interface KeyRow {
  readonly id: number;
  /** 0 where the key was removed. */
  readonly created: number;
  /** 0 without one. */
  readonly lease: number;
}

/**
 * A row of id, previous, created, key, checksum and value, compared with its checksum.
 *
 * @throws StoreDamagedError
 */
export function changeOf(row: unknown): ChangeRow {
  const [id, previous, created, key, sum, bytes] = row as [number, number, number, string, number, Uint8Array | null];
  checkSum(sum, id, created, key, bytes);
  const value = bytes === null ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { id, previous, created, key, value };
}

/** A row of id, created and lease. */
export function keyOf(row: unknown): KeyRow {
  const [id, created, lease] = row as [number, number, number];
  return { id, created, lease };
}

/** Rows that a statement answers as lists. */
export type Rows = readonly (readonly SQLOutputValue[])[];

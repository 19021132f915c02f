import { StoreFullError, StoreUnavailableError } from '#storage/object-store.ts';
import { StoreDamagedError } from './checksum.ts';

/** Primary result codes of SQLite: https://www.sqlite.org/rescode.html */
const BUSY = 5;
const READ_ONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/** The error code that SQLite adds to the message. */
interface SqliteError extends Error {
  readonly errcode: number;
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return (error as SqliteError).errcode & 0xff;
}

/** Whether another process has locked the file. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** Whether the error means that the file is not an intact database. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === CORRUPT || code === NOT_A_DATABASE || error instanceof StoreDamagedError;
}

/** The message for a disk without free space. */
export const NO_ROOM = 'the disk of the store is full: it takes deletions only until there is room';

/**
 * Converts an error of SQLite to an error that callers of the store know. In this case nothing was written. Other
 * errors do not change.
 */
export function storeError(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === undefined) return error;
  const { message } = error as Error;
  if (code === FULL) return new StoreFullError(NO_ROOM);
  if (code === READ_ONLY) return new StoreUnavailableError(`the file of the store cannot be written: ${message}`);
  if (isDamage(error)) return new StoreDamagedError(`the file of the store is damaged: ${message}`);
  return new StoreUnavailableError(`the store failed: ${message}`);
}

// The import names the whole module. On releases of Node.js without `crc32`, the bundle that contains this file must
// still load.
import zlib from 'node:zlib';
import { StoreUnavailableError } from '#storage/object-store.ts';

/** The file does not contain the bytes that the store wrote. */
export class StoreDamagedError extends StoreUnavailableError {
  constructor(message: string) {
    super(message);
    this.name = 'StoreDamagedError';
  }
}

/** The checksum of a change. It covers all parts that readers use. SQLite itself has no checksums. */
export function checksumOf(id: number, created: number, key: string, value: Uint8Array | null): number {
  const head = zlib.crc32(`${id} ${created} ${value === null ? 'removed' : 'written'} ${key}`);
  return value === null ? head : zlib.crc32(value, head);
}

/**
 * Compares the parts of a change that were read with their checksum.
 *
 * @throws StoreDamagedError if they differ
 */
export function checkSum(sum: number, id: number, created: number, key: string, value: Uint8Array | null): void {
  if (checksumOf(id, created, key, value) !== sum)
    throw new StoreDamagedError(`the file of the store is damaged: ${key} is not what was written`);
}

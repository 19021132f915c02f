import { gzipSync } from 'node:zlib';

// Parts of a gzip member (RFC 1952, 2.3).

/** The number of bytes before the blocks. */
export const HEADER = 10;
/** The number of bytes after the blocks, for the checksum and the length of the plain data. */
export const TRAILER = 8;
/** The last block. It is empty. */
export const END = Buffer.from([0x03, 0x00]);

/** The bytes before the blocks. */
export function header(): Buffer {
  return gzipSync('').subarray(0, HEADER);
}

/** The bytes after the last block. `length` is the number of plain bytes. */
export function trailer(crc: number, length: number): Buffer {
  const bytes = Buffer.alloc(TRAILER);
  bytes.writeUInt32LE(crc);
  bytes.writeUInt32LE(length >>> 0, 4);
  return bytes;
}

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, createGunzip, deflateRaw, gunzip, type ZlibOptions } from 'node:zlib';
import { TimeSlice } from '#base/time/time-slice.ts';
import { END, header, trailer } from './gzip-parts.ts';

/** The number of bytes that are compressed at once. A separate thread compresses them. */
const CHUNK = 256 * 1024;

/** The compression level. It takes half the processor time of the default level, for an eighth more bytes. */
const OPTIONS: ZlibOptions = { level: 4, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 64 * 1024 };

/** The size below which a body is compressed with little memory. More memory takes longer to prepare than to use. */
const SMALL = 16 * 1024;
const SMALL_OPTIONS: ZlibOptions = { ...OPTIONS, windowBits: 14, memLevel: 6, chunkSize: 4 * 1024 };

const deflate: (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer> = promisify(deflateRaw);

/**
 * A compressed body. Documents are kept in this form because they are large, repeat themselves, and are seldom read.
 */
export interface Packed {
  readonly gzip: Buffer;
}

export type Piece = string | Uint8Array;

/**
 * A hash of a compressed body, in upper-case hexadecimal. It is equal for equal bodies, on all servers of one build.
 */
export function packedHash({ gzip }: Packed): string {
  return createHash('sha512').update(gzip).digest('hex').toUpperCase();
}

/** Compresses a body that comes in pieces. Other work of the process runs between the pieces. */
export async function pack(pieces: Iterable<Piece> | AsyncIterable<Piece>): Promise<Packed> {
  const slice = new TimeSlice();
  // Each block ends at a whole byte, so that another can follow: see joinPacked.
  const blocks: Buffer[] = [header()];
  let waiting: Uint8Array[] = [];
  let [length, crc, whole] = [0, 0, 0];
  const flush = async (): Promise<void> => {
    const bytes = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
    waiting = [];
    length = 0;
    for (let at = 0; at < bytes.length; at += CHUNK) {
      const chunk = bytes.subarray(at, at + CHUNK);
      crc = crc32(chunk, crc);
      whole += chunk.length;
      blocks.push(await deflate(chunk, chunk.length < SMALL ? SMALL_OPTIONS : OPTIONS));
    }
  };
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    waiting.push(bytes);
    length += bytes.length;
    if (length >= CHUNK) await flush();
    if (slice.over) await slice.yield();
  }
  await flush();
  return { gzip: Buffer.concat([...blocks, END, trailer(crc, whole)]) };
}

/** The plain bytes of a packed body. */
export const unpack: (gzip: Buffer) => Promise<Buffer> = promisify(gunzip);

/** The plain bytes of a packed body, piece by piece. Only one piece is in memory at a time. */
export async function* unpackPieces(gzip: Buffer): AsyncGenerator<Buffer> {
  const plain = createGunzip({ chunkSize: 64 * 1024 });
  plain.end(gzip);
  try {
    for await (const piece of plain) yield piece as Buffer;
  } finally {
    plain.destroy();
  }
}

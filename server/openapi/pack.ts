import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, createGzip, gunzip } from 'node:zlib';

/** Text or bytes handed on at once: other requests have their turn in between. */
const CHUNK = 64 * 1024;

/** A body kept compressed: documents are large, alike in themselves, and seldom asked for. */
export interface Packed {
  readonly gzip: Buffer;
  /** SHA-512 of the plain bytes, in upper-case hex. */
  readonly hash: string;
}

/** Compresses and hashes a body that comes in pieces, without keeping anybody waiting for long. */
export async function pack(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<Packed> {
  const hash = createHash('sha512');
  const gzip = createGzip();
  const out: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => out.push(chunk));
  const ended = once(gzip, 'end');
  let waiting: Uint8Array[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    const chunk = Buffer.concat(waiting);
    waiting = [];
    length = 0;
    hash.update(chunk);
    if (!gzip.write(chunk)) await once(gzip, 'drain');
    await setImmediate();
  };
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    waiting.push(bytes);
    length += bytes.length;
    if (length >= CHUNK) await flush();
  }
  await flush();
  // so that the end stands by itself: see joinPacked
  await new Promise<void>((flushed) => gzip.flush(constants.Z_SYNC_FLUSH, flushed));
  gzip.end();
  await ended;
  return { gzip: Buffer.concat(out), hash: hash.digest('hex').toUpperCase() };
}

/** The plain bytes of a packed body. */
export const unpack: (gzip: Buffer) => Promise<Buffer> = promisify(gunzip);

/** Bytes of a list as they are made, with their media type. */
export interface EncodedList {
  readonly contentType: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** How many there will be, where that is known before: bytes that need no frame go out without being copied. */
  readonly length?: number;
}
/** Buffers of one size that lists are written in; used again, since new ones cost page faults and collections. */
export const CHUNK = 1024 * 1024;

/** What is expected to be shorter than this gets a buffer of its own size, in bytes. */
const SMALL = 64 * 1024;

/** How many unused buffers are kept. */
const KEPT = 8;

const unused: Buffer[] = [];
const lent = new WeakSet<ArrayBufferLike>();

function lend(): Buffer {
  const buffer = unused.pop() ?? Buffer.allocUnsafeSlow(CHUNK);
  lent.add(buffer.buffer);
  return buffer;
}

/** Takes back a chunk that nobody reads any longer. Other buffers are left alone. */
export function recycle(chunk: Buffer): void {
  if (!lent.delete(chunk.buffer) || unused.length >= KEPT) return;
  unused.push(Buffer.from(chunk.buffer));
}

/** Collects small pieces into large buffers, so that a list of thousands is written in a few pieces. */
export class Chunker {
  #buffer: Buffer;
  #used = 0;

  /** `expected` bytes in all, roughly. */
  constructor(expected: number) {
    this.#buffer = expected < SMALL ? Buffer.allocUnsafe(expected) : lend();
  }

  /** Adds a piece; returns buffers that are full, undefined when there are none. */
  add(piece: Uint8Array): Buffer[] | undefined {
    if (this.#used + piece.length <= this.#buffer.length) {
      this.#buffer.set(piece, this.#used);
      this.#used += piece.length;
      return undefined;
    }
    const full: Buffer[] = this.#used > 0 ? [this.rest()] : [];
    this.#buffer = lend();
    this.#used = 0;
    if (piece.length > CHUNK) full.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    else {
      this.#buffer.set(piece);
      this.#used = piece.length;
    }
    return full;
  }

  /** What is left. */
  rest(): Buffer {
    return this.#buffer.subarray(0, this.#used);
  }
}

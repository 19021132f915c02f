/** The bytes of a list, delivered while they are made, with their media type. */
export interface EncodedList {
  readonly contentType: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** The total length, if it is known. With it, the bytes need no frames and are sent without a copy. */
  readonly length?: number;
  /**
   * The complete list in one buffer, after `room` unused bytes, if that is cheap. In this case `chunks` is not read.
   * {@link recycle} takes the buffer back.
   */
  readonly whole?: (room: number) => Buffer;
}

/** Buffers of one size for lists. They are used again, because new buffers cost page faults and garbage collection. */
export const CHUNK = 1024 * 1024;

/** If the output is expected to be shorter than this, in bytes, it gets a buffer of exactly its size. */
const SMALL = 64 * 1024;

/** The number of unused buffers that are kept. */
const KEPT = 8;

/** Lists up to this number of bytes are made in one piece. */
const IN_ONE_PIECE = CHUNK / 2;

const unused: Buffer[] = [];
const lent = new WeakSet<ArrayBufferLike>();

function lend(): Buffer {
  const buffer = unused.pop() ?? Buffer.allocUnsafeSlow(CHUNK);
  lent.add(buffer.buffer);
  return buffer;
}

/** Whether a list of `length` bytes, after a head of usual size, is made in one piece. */
export function isOnePiece(length: number): boolean {
  return length <= IN_ONE_PIECE;
}

/** A buffer of `length` bytes. {@link recycle} takes it back if it is lent. */
export function lendWhole(length: number): Buffer {
  return length < SMALL || length > CHUNK ? Buffer.allocUnsafe(length) : lend().subarray(0, length);
}

/** Takes back a chunk that has no reader any more. Other buffers do not change. */
export function recycle(chunk: Buffer): void {
  if (!lent.delete(chunk.buffer) || unused.length >= KEPT) return;
  unused.push(Buffer.from(chunk.buffer));
}

const NOTHING = Buffer.alloc(0);

/**
 * Collects small pieces in large buffers, so that a list of thousands of items is written in a few pieces. A buffer is
 * taken from the pool only when it is needed. So while a full buffer is being sent to the client, its list holds no
 * other buffer.
 */
export class Chunker {
  /** The size of the next buffer. */
  #size: number;
  #buffer: Buffer | undefined;
  #used = 0;
  /** The first bytes of the next buffer. */
  #next: Uint8Array | undefined;

  /** @param expected the approximate number of bytes in total */
  constructor(expected: number) {
    this.#size = expected < SMALL ? expected : CHUNK;
  }

  /**
   * Adds a piece, which must not change before the next call. Returns full buffers; undefined if there are none.
   */
  add(piece: Uint8Array): Buffer[] | undefined {
    const buffer = this.#current();
    if (this.#used + piece.length <= buffer.length) {
      buffer.set(piece, this.#used);
      this.#used += piece.length;
      return undefined;
    }
    const full: Buffer[] = this.#used > 0 ? [buffer.subarray(0, this.#used)] : [];
    if (this.#used > 0 || buffer.length < CHUNK) this.#buffer = undefined;
    this.#used = 0;
    this.#size = CHUNK;
    if (piece.length > CHUNK) full.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    else this.#next = piece;
    return full;
  }

  /** The last bytes. */
  rest(): Buffer {
    if (this.#buffer === undefined && this.#next === undefined) return NOTHING;
    return this.#current().subarray(0, this.#used);
  }

  /** The buffer that is being filled. */
  #current(): Buffer {
    this.#buffer ??= this.#size < CHUNK ? Buffer.allocUnsafe(this.#size) : lend();
    if (this.#next !== undefined) {
      this.#buffer.set(this.#next);
      this.#used = this.#next.length;
      this.#next = undefined;
    }
    return this.#buffer;
  }
}

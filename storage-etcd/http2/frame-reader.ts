import { errorCode, flag, frameType, HEAD_BYTES, PAYLOAD_BYTES, ProtocolError } from './frame.ts';

/** Takes what a `FrameReader` reads. */
export interface FrameHandler {
  /** A piece of the data of a stream. `ended` means that the stream has no data after this piece. */
  data(stream: number, bytes: Buffer, ended: boolean): void;
  /** Any other frame, and a data frame with padding. */
  frame(type: number, flags: number, stream: number, payload: Buffer): void;
}

/**
 * Takes frames out of the chunks of a socket. Data is not collected: each piece is a slice of the chunk that it came
 * in.
 */
export class FrameReader {
  readonly #handler: FrameHandler;
  /** The bytes of a frame that is not complete. */
  #rest: Buffer | undefined;
  /** The data frame that is being read. */
  #stream = 0;
  #left = 0;
  #ends = false;
  #stopped = false;

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /**
   * Passes the bytes that have arrived to the handler, frame by frame.
   *
   * @throws ProtocolError for a frame that is too long; what the handler throws
   */
  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = 0;
    while (!this.#stopped && at < bytes.length) {
      const next = this.#left > 0 ? this.#takeData(bytes, at) : this.#takeFrame(bytes, at);
      if (next === at) {
        this.#rest = bytes.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Stops reading, even within the current chunk. */
  stop(): void {
    this.#stopped = true;
  }

  #takeData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#handler.data(this.#stream, bytes.subarray(at, end), this.#ends && this.#left === 0);
    return end;
  }

  /** The position after the frame, or after the head of a data frame; the same position if bytes are missing. */
  #takeFrame(bytes: Buffer, at: number): number {
    const begin = at + HEAD_BYTES;
    if (bytes.length < begin) return at;
    const length = bytes.readUIntBE(at, 3);
    const type = bytes[at + 3]!;
    const flags = bytes[at + 4]!;
    const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
    if (length > PAYLOAD_BYTES) throw new ProtocolError(errorCode.frameSize, `a frame of ${length} bytes`);
    if (type === frameType.data && length > 0 && (flags & flag.padded) === 0) {
      this.#stream = stream;
      this.#left = length;
      this.#ends = (flags & flag.endStream) !== 0;
      return begin;
    }
    if (bytes.length < begin + length) return at;
    this.#handler.frame(type, flags, stream, bytes.subarray(begin, begin + length));
    return begin + length;
  }
}

import { Transform, type TransformCallback } from 'node:stream';
import { timerMs } from '#base/time/longest-timer.ts';

/** The share of a second's bytes that is sent in one piece, so that the first byte does not wait long. */
const PIECES_PER_SECOND = 10;

/** Limits the bytes per second. Faster input waits, and its source must wait too. */
export class Throttle extends Transform {
  readonly #bytesPerMs: number;
  readonly #pieceBytes: number;
  /** The time at which the next piece may be sent, in milliseconds of the monotonic clock. */
  #free = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(bytesPerSecond: number) {
    super();
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#pieceBytes = Math.max(1, Math.floor(bytesPerSecond / PIECES_PER_SECOND));
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (chunk.length === 0) {
      done();
      return;
    }
    const now = performance.now();
    if (this.#free > now) {
      this.#timer = setTimeout(() => this._transform(chunk, _encoding, done), timerMs(this.#free - now));
      return;
    }
    const piece = chunk.subarray(0, this.#pieceBytes);
    this.#free = now + piece.length / this.#bytesPerMs;
    this.push(piece);
    this._transform(chunk.subarray(piece.length), _encoding, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }
}

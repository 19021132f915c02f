import type { Writer } from 'protobufjs/minimal.js';

/** A byte for compression (none), four for the length. */
const HEAD_BYTES = 5;

/**
 * The longest accepted message, in bytes. A page of objects with their previous versions is far smaller. A peer that
 * announces more is not etcd, or is broken.
 */
const LONGEST_MESSAGE = 512 << 20;

/** The message as gRPC sends it. */
export function frameOf(message: Writer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + message.pos);
  frame[0] = 0;
  frame.writeUInt32BE(message.pos, 1);
  message.finishInto(frame, HEAD_BYTES);
  return frame;
}

/**
 * Takes gRPC messages out of the chunks in which they arrive. A message that arrived in one chunk is a slice of that
 * chunk.
 */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Whether a message has begun and not ended. */
  get partial(): boolean {
    return this.#bytes > 0;
  }

  /**
   * The messages that this chunk completes.
   *
   * @throws for a compressed message, which this client does not accept, and for a message that is too long
   */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: Buffer[] = [];
    while (this.#bytes >= HEAD_BYTES) {
      const head = this.#head();
      if (head[0] !== 0) throw new Error('a compressed message');
      const length = head.readUInt32BE(1);
      if (length > LONGEST_MESSAGE) {
        throw new Error(`a message of ${length} bytes`);
      }
      const end = HEAD_BYTES + length;
      if (this.#bytes < end) break;
      const joined = this.#join();
      messages.push(joined.subarray(HEAD_BYTES, end));
      this.#bytes -= end;
      this.#chunks = this.#bytes > 0 ? [joined.subarray(end)] : [];
    }
    return messages;
  }

  #head(): Buffer {
    return this.#chunks[0]!.length < HEAD_BYTES ? this.#join() : this.#chunks[0]!;
  }

  #join(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#bytes)];
    return this.#chunks[0]!;
  }
}

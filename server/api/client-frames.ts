import { LONGEST_HEAD, masked, OPCODES, readFrameHead } from '#program/connection/web-socket-frame.ts';

/** The events in the frames of a client that matter to a server that only sends. */
export interface FrameEvents {
  /** The client closes the web socket, or violates its protocol. */
  onClose(): void;
  /** The client expects an answer with this payload. */
  onPing(payload: Buffer): void;
}

/** The longest payload of a control frame (RFC 6455, 5.5). */
const LONGEST_CONTROL = 125;

/**
 * Reads the frames of a web socket's client. It keeps the head of a frame and the payload of a ping, and no other
 * payload. Of several pings in one piece of data it reports only the last one, which RFC 6455, 5.5.3 allows.
 */
export class ClientFrames {
  readonly #events: FrameEvents;
  /** The part of a frame's head that has arrived. */
  #head = Buffer.alloc(0);
  #isInHead = true;
  /** The number of bytes of the payload that have not arrived yet. */
  #left = 0;
  /** The payload of a ping so far, with the key of its mask. */
  #ping: { readonly mask: Buffer; bytes: Buffer } | undefined;
  #isOver = false;

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  /** Handles data that the client has sent. */
  take(data: Buffer): void {
    let last: Buffer | undefined;
    let at = 0;
    while (at < data.length && !this.#isOver) {
      if (this.#isInHead) {
        at += this.#takeHead(data.subarray(at));
        if (this.#isInHead || this.#left > 0) continue;
      }
      const payload = data.subarray(at, at + this.#left);
      at += payload.length;
      this.#left -= payload.length;
      if (this.#ping !== undefined) this.#ping.bytes = Buffer.concat([this.#ping.bytes, payload]);
      if (this.#left > 0) continue;
      this.#isInHead = true;
      if (this.#ping !== undefined) last = masked(this.#ping.bytes, this.#ping.mask);
      this.#ping = undefined;
    }
    if (last !== undefined && !this.#isOver) this.#events.onPing(last);
  }

  /** Reads bytes of a head. Returns their number. */
  #takeHead(data: Buffer): number {
    const before = this.#head.length;
    const bytes = Buffer.concat([this.#head, data.subarray(0, LONGEST_HEAD - before)]);
    const head = readFrameHead(bytes);
    if (head === undefined) {
      this.#head = bytes;
      return bytes.length - before;
    }
    this.#head = Buffer.alloc(0);
    const { opcode, length, mask, size } = head;
    const isControl = opcode >= OPCODES.close;
    // A client masks its payloads (RFC 6455, 5.1).
    if (opcode === OPCODES.close || mask === undefined || (isControl && length > LONGEST_CONTROL)) {
      this.#isOver = true;
      this.#events.onClose();
    }
    this.#isInHead = false;
    this.#left = length;
    this.#ping = opcode === OPCODES.ping && mask !== undefined ? { mask, bytes: Buffer.alloc(0) } : undefined;
    return size - before;
  }
}

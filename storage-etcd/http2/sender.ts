import type { Socket } from 'node:net';
import {
  DEFAULT_WINDOW,
  errorCode,
  flag,
  frame,
  frameType,
  LARGEST_WINDOW,
  PAYLOAD_BYTES,
  ProtocolError,
} from './frame.ts';

/** The largest number of answers to frames of the peer that wait for the socket. */
const MOST_REPLIES = 1_000;

/** The data of one stream that is not sent yet. */
export interface Unsent {
  readonly id: number;
  /** How many bytes of it the peer accepts now. */
  window: number;
  readonly waiting: Buffer[];
  /** Whether the stream ends after the waiting data. */
  ends: boolean;
}

/**
 * Sends frames, and data as far as the peer's windows allow. All frames of one turn of the event loop leave in one
 * write: a write to a socket costs more than everything else in a small call.
 */
export class Sender {
  readonly #socket: Socket;
  /** Streams whose data waits for a window, in the order in which they began to wait. */
  readonly #blocked = new Set<Unsent>();
  readonly #flush = (): void => this.#write();
  #frames: Buffer[] = [];
  #window = DEFAULT_WINDOW;
  #streamWindow = DEFAULT_WINDOW;
  #payloadBytes = PAYLOAD_BYTES;
  /** Answers that the socket has not accepted yet, and the part of them that is sent in this turn. */
  #replies = 0;
  #newReplies = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** The window of a new stream. */
  get streamWindow(): number {
    return this.#streamWindow;
  }

  send(bytes: Buffer): void {
    if (this.#frames.length === 0) setImmediate(this.#flush);
    this.#frames.push(bytes);
  }

  /**
   * Sends an answer that a frame of the peer requires.
   *
   * @throws ProtocolError if the peer asks for answers and does not read them
   */
  reply(bytes: Buffer): void {
    if (this.#replies >= MOST_REPLIES) throw new ProtocolError(errorCode.enhanceYourCalm, 'too many frames to answer');
    this.#replies += 1;
    this.#newReplies += 1;
    this.send(bytes);
  }

  /** Sends the waiting data of a stream, now or when the peer has room. */
  sendData(stream: Unsent): void {
    const { waiting } = stream;
    while (waiting.length > 0) {
      const first = waiting[0]!;
      // A window may be negative, after the peer has made it smaller.
      const room = Math.max(0, Math.min(stream.window, this.#window, this.#payloadBytes));
      if (room === 0 && first.length > 0) {
        this.#blocked.add(stream);
        return;
      }
      const now = first.length > room ? first.subarray(0, room) : first;
      if (now === first) waiting.shift();
      else waiting[0] = first.subarray(room);
      const last = stream.ends && waiting.length === 0;
      this.send(frame(frameType.data, last ? flag.endStream : 0, stream.id, now));
      stream.window -= now.length;
      this.#window -= now.length;
    }
    this.#blocked.delete(stream);
  }

  /** Drops the waiting data of a stream that has ended. */
  forget(stream: Unsent): void {
    this.#blocked.delete(stream);
  }

  /** The peer accepts more data on the connection. */
  widen(bytes: number): void {
    this.#window = widened(this.#window, bytes);
    for (const stream of this.#blocked) this.sendData(stream);
  }

  /** The peer accepts more data of one stream. */
  widenStream(stream: Unsent, bytes: number): void {
    stream.window = widened(stream.window, bytes);
    if (this.#blocked.has(stream)) this.sendData(stream);
  }

  /** The peer's new window for each stream. The windows of open streams change by the difference. */
  setStreamWindow(bytes: number, open: Iterable<Unsent>): void {
    const difference = widened(0, bytes) - this.#streamWindow;
    this.#streamWindow = bytes;
    for (const stream of open) this.widenStream(stream, difference);
  }

  /** The longest payload that the peer accepts. */
  set payloadBytes(bytes: number) {
    this.#payloadBytes = bytes;
  }

  #write(): void {
    const frames = this.#frames;
    const replies = this.#newReplies;
    this.#frames = [];
    this.#newReplies = 0;
    if (!this.#socket.writable) return;
    const taken = replies === 0 ? undefined : () => (this.#replies -= replies);
    this.#socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames), taken);
  }
}

function widened(window: number, bytes: number): number {
  const sum = window + bytes;
  if (sum > LARGEST_WINDOW) throw new ProtocolError(errorCode.flowControl, 'a window is too large');
  return sum;
}

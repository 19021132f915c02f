import { CallError } from './call-error.ts';
import { FrameReader } from './grpc-frame.ts';
import { GrpcSession, type Metadata, type Target } from './grpc-session.ts';
import { statusOf, strangerIn } from './grpc-status.ts';
import type { Fields } from './http2/header-block.ts';
import type { Http2Stream, StreamEnd, StreamHandler } from './http2/stream.ts';

/** How many bytes of messages may wait for the reader before the sender must stop. */
const WAITING_BYTES = 256 * 1024;

/**
 * One bidirectional call over a separate connection. The connection ends with the call. The call has no deadline. The
 * pings of the connection find a frozen peer and make the stream fail.
 *
 * An iterable of the messages of the peer, for one iteration. The iteration ends when the peer ends the call with
 * status OK, or without an error when it is closed here. If the call failed, it throws CallError after the messages
 * that arrived before. A loop that ends early closes the stream.
 */
export class GrpcStream implements AsyncIterable<Buffer>, StreamHandler {
  readonly #path: string;
  readonly #metadata: Metadata;
  readonly #frames = new FrameReader();
  readonly #unsent: Buffer[] = [];
  #messages: Buffer[] = [];
  #waitingBytes = 0;
  #session: GrpcSession | undefined;
  #stream: Http2Stream | undefined;
  #responded = false;
  #over = false;
  #error: CallError | undefined;
  #wake: (() => void) | undefined;

  /** Connects at once. If the certificates cannot be read, the stream fails, as with every other error. */
  constructor(target: Target, path: string, metadata: Metadata) {
    this.#path = path;
    this.#metadata = metadata;
    try {
      this.#session = new GrpcSession(target, {
        roomIn: (session) => this.#start(session),
        leaving: (_, reason) => {
          if (!this.#stream) {
            this.#finish(CallError.unsent(`No connection established: ${reason}`));
          }
        },
        ended: () => {},
      });
      this.#session.ref();
    } catch (error) {
      this.#finish(CallError.unsent(`No connection established: ${error}`));
    }
  }

  /** Sends a framed message as soon as there is a connection. Does nothing once the stream has ended. */
  write(frame: Buffer): void {
    if (this.#over) return;
    if (this.#stream) {
      this.#stream.write(frame);
    } else {
      this.#unsent.push(frame);
    }
  }

  /** Ends the stream and its connection. Messages that were not read are dropped. */
  close(): void {
    this.#messages = [];
    this.#finish(undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        const message = this.#messages.shift();
        if (message) {
          this.#waitingBytes -= message.length;
          yield message;
        } else if (this.#over) {
          if (this.#error) throw this.#error;
          return;
        } else {
          await this.#more();
        }
      }
    } finally {
      this.close();
    }
  }

  /** Resolves when there is a message, or the stream is over. */
  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#stream?.paused) this.#stream.resume();
    });
  }

  head(fields: Fields, ended: boolean): void {
    this.#responded = true;
    this.#session!.heard();
    const stranger = strangerIn(fields);
    if (stranger !== undefined) this.#finish(CallError.lost(stranger));
    else if (ended) this.trailers(fields);
  }

  data(bytes: Buffer): void {
    if (this.#over) return;
    try {
      for (const message of this.#frames.push(bytes)) {
        this.#messages.push(apart(message));
        this.#waitingBytes += message.length;
      }
    } catch (error) {
      this.#finish(CallError.lost(`the answer is not readable: ${error}`));
      return;
    }
    if (this.#waitingBytes > WAITING_BYTES) this.#stream!.pause();
    if (this.#messages.length > 0) this.#wakeReader();
  }

  trailers(fields: Fields): void {
    this.#finish(statusOf(fields) ?? this.#incomplete());
  }

  closed(end: StreamEnd): void {
    this.#finish(this.#session!.failureOf(end, this.#responded));
  }

  #start(session: GrpcSession): void {
    if (this.#stream || this.#over) return;
    this.#stream = session.open(this.#path, this.#metadata, this);
    for (const frame of this.#unsent.splice(0)) this.#stream.write(frame);
  }

  #incomplete(): CallError | undefined {
    return this.#frames.partial ? CallError.lost('the answer is not complete') : undefined;
  }

  #finish(error: CallError | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#error = error;
    this.#session?.destroy();
    this.#wakeReader();
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/**
 * Copies a message if it is a small part of a larger read buffer. A caller that keeps a part keeps the whole buffer,
 * and some changes are kept for long.
 */
function apart(message: Buffer): Buffer {
  return message.buffer.byteLength > Math.max(2 * message.length, Buffer.poolSize) ? Buffer.from(message) : message;
}

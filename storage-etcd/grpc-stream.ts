import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { CallError } from './call-error.ts';
import { FrameReader } from './grpc-frame.ts';
import { GrpcSession, type Metadata, type Target } from './grpc-session.ts';
import { statusOf, strangerIn } from './grpc-status.ts';

/** How many bytes of messages wait for their taker before the sender is stopped. */
const WAITING_BYTES = 256 * 1024;

/**
 * One bidirectional call over a separate connection, which ends with it. It has no deadline; the connection's pings
 * find a frozen peer and fail the stream.
 *
 * An iterable of the messages of the peer, for one iteration. The iteration ends when the peer ends the call with
 * status OK, or quietly when closed. If the call failed, it throws CallError after the messages that arrived before. A
 * loop that ends early closes the stream.
 */
export class GrpcStream implements AsyncIterable<Buffer> {
  readonly #path: string;
  readonly #metadata: Metadata;
  readonly #frames = new FrameReader();
  readonly #unsent: Buffer[] = [];
  #messages: Buffer[] = [];
  #waitingBytes = 0;
  #session: GrpcSession | undefined;
  #stream: ClientHttp2Stream | undefined;
  #over = false;
  #error: CallError | undefined;
  #wake: (() => void) | undefined;

  /** Connects at once. Certificates that cannot be read fail the stream, as everything else does. */
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

  /** Sends a framed message, as soon as there is a connection; nothing once the stream is over. */
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
      if (this.#stream?.isPaused()) this.#stream.resume();
    });
  }

  #start(session: GrpcSession): void {
    if (this.#stream || this.#over) return;
    let stream: ClientHttp2Stream;
    try {
      stream = session.open(this.#path, this.#metadata);
    } catch (error) {
      this.#finish(CallError.unsent(String(error)));
      return;
    }
    this.#stream = stream;
    let trailers: IncomingHttpHeaders | undefined;
    let responded = false;
    stream.on('response', (head, flags) => {
      responded = true;
      session.heard();
      const stranger = strangerIn(head);
      if (stranger !== undefined) {
        this.#finish(CallError.lost(stranger));
      } else if (flags & constants.NGHTTP2_FLAG_END_STREAM) {
        trailers = head;
      }
    });
    stream.on('data', (chunk: Buffer) => this.#take(chunk, stream));
    stream.on('trailers', (fields) => {
      trailers = fields;
    });
    stream.on('end', () => {
      if (trailers) {
        this.#finish(statusOf(trailers) ?? this.#incomplete());
      } else {
        // A missing status means an abnormal end: the stream is then closed with the reason.
        stream.end();
      }
    });
    stream.on('close', () => {
      const cut = CallError.lost('the answer is not complete');
      this.#finish(trailers ? (statusOf(trailers) ?? cut) : session.failureOf(stream, responded));
    });
    for (const frame of this.#unsent.splice(0)) stream.write(frame);
  }

  #take(chunk: Buffer, stream: ClientHttp2Stream): void {
    if (this.#over) return;
    try {
      for (const message of this.#frames.push(chunk)) {
        this.#messages.push(apart(message));
        this.#waitingBytes += message.length;
      }
    } catch (error) {
      this.#finish(CallError.lost(`the answer is not readable: ${error}`));
      return;
    }
    if (this.#waitingBytes > WAITING_BYTES) stream.pause();
    if (this.#messages.length > 0) this.#wakeTaker();
  }

  #incomplete(): CallError | undefined {
    return this.#frames.partial ? CallError.lost('the answer is not complete') : undefined;
  }

  #finish(error: CallError | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#error = error;
    this.#session?.destroy();
    this.#wakeTaker();
  }

  #wakeTaker(): void {
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

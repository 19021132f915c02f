import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { timerMs } from '#base/time/longest-timer.ts';
import { CallError } from './call-error.ts';
import { FrameReader } from './grpc-frame.ts';
import type { GrpcSession, Metadata } from './grpc-session.ts';
import { statusOf, strangerIn } from './grpc-status.ts';

const GIVEN_UP = 'the caller gave it up';

/** One request and its answer, over at a deadline. Nothing is sent before `start`. */
export class UnaryCall {
  readonly #path: string;
  readonly #headers: Metadata;
  readonly #frame: Buffer;
  readonly #resolve: (message: Buffer) => void;
  readonly #reject: (error: CallError) => void;
  /**
   * Node's timers of one duration share a list, so that this timer costs almost nothing; it also keeps the process
   * alive.
   */
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #giveUp = (): void => (this.#stream ? this.#abandon(GIVEN_UP) : this.fail(CallError.unsent(GIVEN_UP)));
  #session: GrpcSession | undefined;
  #stream: ClientHttp2Stream | undefined;
  #over = false;

  constructor(
    request: {
      readonly path: string;
      readonly frame: Buffer;
      readonly metadata: Metadata | undefined;
      readonly signal: AbortSignal | undefined;
    },
    timeoutMs: number,
    settle: { readonly resolve: (message: Buffer) => void; readonly reject: (error: CallError) => void },
  ) {
    const limitMs = Math.max(1, Math.ceil(timeoutMs));
    this.#path = request.path;
    this.#headers = { 'grpc-timeout': `${limitMs}m`, ...request.metadata };
    this.#frame = request.frame;
    this.#signal = request.signal;
    this.#signal?.addEventListener('abort', this.#giveUp);
    this.#resolve = settle.resolve;
    this.#reject = settle.reject;
    // The answer may have come while this process was busy: look before giving up.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire(limitMs)), timerMs(limitMs));
  }

  get over(): boolean {
    return this.#over;
  }

  /** Sends the request; the session must have room. */
  start(session: GrpcSession): void {
    let stream: ClientHttp2Stream;
    try {
      stream = session.open(this.#path, this.#headers);
    } catch (error) {
      this.fail(CallError.unsent(String(error)));
      return;
    }
    this.#session = session;
    this.#stream = stream;
    const frames = new FrameReader();
    let message: Buffer | undefined;
    let trailers: IncomingHttpHeaders | undefined;
    let responded = false;
    const end = () => {
      const error = trailers && statusOf(trailers);
      if (error) {
        this.fail(error);
      } else if (trailers && message && !frames.partial) {
        this.#succeed(message);
      }
    };
    stream.on('response', (head, flags) => {
      responded = true;
      session.heard();
      const stranger = strangerIn(head);
      if (stranger !== undefined) {
        this.#abandon(stranger);
      } else if (flags & constants.NGHTTP2_FLAG_END_STREAM) {
        trailers = head;
        end();
      }
    });
    stream.on('data', (chunk: Buffer) => {
      if (this.#over) return;
      try {
        for (const bytes of frames.push(chunk)) {
          if (message) throw new Error('more than one message');
          message = bytes;
        }
      } catch (error) {
        this.#abandon(`the answer is not readable: ${error}`);
        return;
      }
      end();
    });
    stream.on('trailers', (fields) => {
      trailers = fields;
      end();
    });
    stream.on('close', () => {
      if (!this.#over) {
        this.fail(trailers ? CallError.lost('the answer is not complete') : session.failureOf(stream, responded));
      }
    });
    stream.end(this.#frame);
  }

  /** Ends the call, unless it is over. */
  fail(error: CallError): void {
    if (this.#finish()) this.#reject(error);
  }

  #succeed(message: Buffer): void {
    if (this.#finish()) this.#resolve(message);
  }

  /** Whether the call ends here: what comes first counts. */
  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#giveUp);
    return true;
  }

  #abandon(reason: string): void {
    this.#stream?.close(constants.NGHTTP2_CANCEL);
    this.fail(CallError.lost(reason));
  }

  #expire(limitMs: number): void {
    if (this.#over) return;
    const reason = `Deadline exceeded after ${limitMs} ms`;
    if (this.#session) {
      this.#session.missed();
      this.#abandon(reason);
    } else {
      this.fail(CallError.unsent(`${reason}, waiting for a connection`));
    }
  }
}

import { timerMs } from '#base/time/longest-timer.ts';
import { CallError } from './call-error.ts';
import { FrameReader } from './grpc-frame.ts';
import type { GrpcSession, Metadata } from './grpc-session.ts';
import { statusOf, strangerIn } from './grpc-status.ts';
import { errorCode } from './http2/frame.ts';
import type { Fields } from './http2/header-block.ts';
import type { Http2Stream, StreamEnd, StreamHandler } from './http2/stream.ts';

const GIVEN_UP = 'the caller gave it up';

/** One request and its answer. It ends at a deadline. Nothing is sent before `start`. */
export class UnaryCall implements StreamHandler {
  readonly #path: string;
  readonly #headers: Metadata;
  readonly #frame: Buffer;
  readonly #resolve: (message: Buffer) => void;
  readonly #reject: (error: CallError) => void;
  /**
   * Timers of Node.js with one duration share a list, so this timer costs almost nothing. It also keeps the process
   * alive.
   */
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #giveUp = (): void => (this.#stream ? this.#abandon(GIVEN_UP) : this.fail(CallError.unsent(GIVEN_UP)));
  #session: GrpcSession | undefined;
  #stream: Http2Stream | undefined;
  readonly #frames = new FrameReader();
  #message: Buffer | undefined;
  #trailers: Fields | undefined;
  #responded = false;
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
    // The answer may have arrived while this process was busy, so read it before giving up.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire(limitMs)), timerMs(limitMs));
  }

  get over(): boolean {
    return this.#over;
  }

  /** Sends the request. The session must have room. */
  start(session: GrpcSession): void {
    this.#session = session;
    this.#stream = session.open(this.#path, this.#headers, this, this.#frame);
  }

  head(fields: Fields, ended: boolean): void {
    this.#responded = true;
    this.#session!.heard();
    const stranger = strangerIn(fields);
    if (stranger !== undefined) this.#abandon(stranger);
    else if (ended) this.trailers(fields);
  }

  data(bytes: Buffer): void {
    if (this.#over) return;
    try {
      for (const message of this.#frames.push(bytes)) {
        if (this.#message) throw new Error('more than one message');
        this.#message = message;
      }
    } catch (error) {
      this.#abandon(`the answer is not readable: ${error}`);
    }
  }

  trailers(fields: Fields): void {
    this.#trailers = fields;
    const error = statusOf(fields);
    if (error) this.fail(error);
    else if (this.#message && !this.#frames.partial) this.#succeed(this.#message);
  }

  closed(end: StreamEnd): void {
    if (this.#over) return;
    const incomplete = this.#trailers && CallError.lost('the answer is not complete');
    this.fail(incomplete ?? this.#session!.failureOf(end, this.#responded));
  }

  /** Ends the call, unless it is over. */
  fail(error: CallError): void {
    if (this.#finish()) this.#reject(error);
  }

  #succeed(message: Buffer): void {
    if (this.#finish()) this.#resolve(message);
  }

  /** Ends the call, unless it has already ended. Returns whether this call of the method ended it. */
  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#giveUp);
    return true;
  }

  #abandon(reason: string): void {
    this.fail(CallError.lost(reason));
    this.#stream?.reset(errorCode.cancel);
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

import { PassThrough } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { InterimHeads, TooManyInterimHeads } from '#program/connection/interim-heads.ts';
import type { IncomingRequest, OutgoingResponse } from '../../api/exchange.ts';
import { type Backend, unreachable } from '../../outbound/backend.ts';
import { wasClosed } from '../../outbound/why-failed.ts';
import { pairsOf } from './forwarded-headers.ts';

/** The head of a backend's answer, headers as they came: name, value, name, value. */
export interface AnswerHead {
  readonly status: number;
  readonly statusMessage: string;
  readonly headers: readonly string[];
}

/** A request as it goes to a backend. */
export interface PooledMessage {
  readonly method: string;
  readonly path: string;
  /** Names and values alternating. */
  readonly headers: string[];
  /** The request whose body is passed on; absent: there is none. */
  readonly body: IncomingRequest | undefined;
}

/**
 * The largest number of bytes that may wait for a client before the backend is paused. To wait after each piece would
 * cost a fifth of a transfer.
 */
const MAY_WAIT = 128 << 10;

/** There was no answer; `closed` if the connection, which may have been an old one, ended before an answer. */
export class NoAnswer extends Error {
  readonly closed: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause });
    this.closed = wasClosed(cause);
  }

  /** The error that the client gets. */
  asStatus(backend: Backend): Error {
    return unreachable(backend, this.cause as NodeJS.ErrnoException);
  }
}

/** Bytes in undici's form: a list of alternating names and values. */
type Raw = readonly (Buffer | string | readonly (Buffer | string)[])[] | null;

function text(bytes: Buffer | string): string {
  return typeof bytes === 'string' ? bytes : bytes.toString('latin1');
}

function texts(raw: Raw): string[] {
  const all: string[] = [];
  for (let i = 0; raw !== null && i + 1 < raw.length; i += 2) {
    const name = text(raw[i] as Buffer | string);
    const value = raw[i + 1]!;
    if (typeof value === 'string' || Buffer.isBuffer(value)) all.push(name, text(value));
    else for (const one of value) all.push(name, text(one));
  }
  return all;
}

/**
 * A request over a kept connection. When the head of the answer arrives, `onHead` chooses where the body is written.
 * The body is written as it arrives, followed by all further bytes. An error after that moment ends the connection of
 * the response.
 *
 * It uses the calls of undici's older handlers, which pass heads on unchanged. Those of newer handlers make objects of
 * them for each answer.
 */
export class PooledExchange implements Dispatcher.DispatchHandler {
  /**
   * Resolves with the status when the head has been passed on. Rejects with {@link NoAnswer}, with the reason of
   * `abort`, or with what `onHead` threw.
   */
  readonly started: Promise<number>;
  readonly #method: string;
  readonly #onHead: (head: AnswerHead) => OutgoingResponse;
  #resolve!: (status: number) => void;
  #reject!: (error: unknown) => void;
  #abort: ((error: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #response: OutgoingResponse | undefined;
  #reason: Error | undefined;
  #written = false;
  #interim: InterimHeads | undefined;

  /** Throws if the message cannot be sent. */
  constructor(
    pool: Pool,
    { method, path, headers, body }: PooledMessage,
    onHead: (head: AnswerHead) => OutgoingResponse,
  ) {
    this.#method = method;
    this.#onHead = onHead;
    this.started = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    pool.dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path,
        headers,
        // an error of the backend must not end the client's connection
        body: body === undefined ? null : body.pipe(new PassThrough()).on('error', () => {}),
      },
      this,
    );
  }

  /** Gives the request up, and the rest of its answer. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#reject(this.#reason);
    this.#abort?.(this.#reason);
  }

  onConnect(abort: (error: Error) => void): void {
    this.#abort = abort;
    if (this.#reason !== undefined) abort(this.#reason);
  }

  /** Whether the rest may come. */
  onHeaders(status: number, raw: Raw, resume: () => void, statusMessage: string): boolean {
    if (status < 200) {
      this.#interim ??= new InterimHeads();
      if (this.#interim.next()) this.abort(new NoAnswer(new TooManyInterimHeads()));
      return true;
    }
    let response: OutgoingResponse;
    try {
      response = this.#response = this.#onHead({ status, statusMessage, headers: texts(raw) });
    } catch (error) {
      this.abort(error as Error);
      return true;
    }
    this.#resume = resume;
    // a head and a short body that arrived with it are sent together, and a lone head is sent as soon
    response.cork();
    process.nextTick(() => {
      if (!this.#written && !response.writableEnded) response.flushHeaders();
      response.uncork();
    });
    this.#resolve(status);
    // headers may speak of a body that another request would get
    if (this.#method === 'HEAD' || status === 204 || status === 304) response.end();
    return true;
  }

  /** Whether more may come. */
  onData(chunk: Buffer): boolean {
    this.#written = true;
    const response = this.#response;
    if (response === undefined || response.write(chunk) || response.writableLength < MAY_WAIT) return true;
    response.once('drain', this.#resume!);
    return false;
  }

  onComplete(raw: Raw): void {
    const response = this.#response;
    if (response === undefined || response.writableEnded) return;
    if (raw !== null && raw.length > 0) response.addTrailers?.(pairsOf(texts(raw)));
    response.end();
  }

  onError(error: Error): void {
    this.#reject(this.#reason ?? new NoAnswer(error));
    if (this.#response?.writableEnded === false) this.#response.destroy();
  }
}

import { PassThrough } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { InterimHeads, TooManyInterimHeads } from '#program/connection/interim-heads.ts';
import type { IncomingRequest, OutgoingResponse } from '../../api/exchange.ts';
import { type Backend, unreachable } from '../../outbound/backend.ts';
import { wasClosed } from '../../outbound/why-failed.ts';
import { pairsOf } from './forwarded-headers.ts';

/** The head of a backend's answer. Headers are in their order of arrival: name, value, name, value. */
export interface AnswerHead {
  readonly status: number;
  readonly statusMessage: string;
  readonly headers: readonly string[];
}

/** A request in the form in which a backend gets it. */
export interface PooledMessage {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  /** The request whose body is forwarded. Absent means that there is no body. */
  readonly body: IncomingRequest | undefined;
}

/**
 * The largest number of bytes that may wait for a client before the backend is paused. A wait after each piece would
 * cost a fifth of a transfer.
 */
const MAY_WAIT = 128 << 10;

/**
 * The error that there was no answer. `closed` means that the connection, which may have been an old one, ended before
 * an answer.
 */
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

/** Bytes in undici's form: a list with names and values in turn. */
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
 * It uses the functions of undici's older handlers, which pass heads on unchanged. Those of newer handlers make objects
 * from them for each answer.
 */
export class PooledExchange implements Dispatcher.DispatchHandler {
  /**
   * Resolves to the status when the head has been passed on. Rejects with {@link NoAnswer}, with the reason of `abort`,
   * or with the error that `onHead` threw.
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

  /** @throws Error if the message cannot be sent */
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
        // An error of the backend must not end the client's connection.
        body: body === undefined ? null : body.pipe(new PassThrough()).on('error', () => {}),
      },
      this,
    );
  }

  /** Aborts the request, and the rest of its answer. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#reject(this.#reason);
    this.#abort?.(this.#reason);
  }

  onConnect(abort: (error: Error) => void): void {
    this.#abort = abort;
    if (this.#reason !== undefined) abort(this.#reason);
  }

  /** Called with the head. Returns whether the rest may arrive. */
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
    // A head and a short body that arrived with it are sent together, and a head alone is sent soon.
    response.cork();
    process.nextTick(() => {
      if (!this.#written && !response.writableEnded) response.flushHeaders();
      response.uncork();
    });
    this.#resolve(status);
    // Headers may describe a body that another request would get.
    if (this.#method === 'HEAD' || status === 204 || status === 304) response.end();
    return true;
  }

  /** Called with a piece of the body. Returns whether more may arrive. */
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

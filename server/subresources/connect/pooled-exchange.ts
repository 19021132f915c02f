import { PassThrough } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import type { IncomingRequest, OutgoingResponse } from '../../api/exchange.ts';
import { type Backend, unreachable } from '../../outbound/backend.ts';
import { wasClosed } from '../../outbound/why-failed.ts';

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
  /** Names and values in turn. */
  readonly headers: string[];
  /** Whose body is passed on; absent: there is none. */
  readonly body: IncomingRequest | undefined;
}

/** What may wait for a client before the backend is paused, in bytes; waiting for each piece costs a fifth of a transfer. */
const MAY_WAIT = 128 << 10;

/** Nothing came back; `closed` where the connection, which may have been an old one, ended before an answer. */
export class NoAnswer extends Error {
  readonly closed: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause });
    this.closed = wasClosed(cause);
  }

  /** What clients are told of it. */
  asStatus(backend: Backend): Error {
    return unreachable(backend, this.cause as NodeJS.ErrnoException);
  }
}

function texts(raw: readonly (Buffer | string | (Buffer | string)[])[] | null | undefined): string[] {
  const all: string[] = [];
  for (let i = 0; raw != null && i + 1 < raw.length; i += 2) {
    const [name, value] = [raw[i]!.toString('latin1' as never), raw[i + 1]!];
    for (const one of Array.isArray(value) ? value : [value]) all.push(name, one.toString('latin1' as never));
  }
  return all;
}

/**
 * A request over a kept connection. When the head of the answer is there, `onHead` says where its body goes, which is
 * written as it comes, with what follows it; what goes wrong from then on ends the connection of that response.
 */
export class PooledExchange implements Dispatcher.DispatchHandler {
  /**
   * Resolves with the status when the head has been passed on. Rejects with {@link NoAnswer}, with the reason of `abort`, or
   * with what `onHead` threw.
   */
  readonly started: Promise<number>;
  readonly #method: string;
  readonly #onHead: (head: AnswerHead) => OutgoingResponse;
  #resolve!: (status: number) => void;
  #reject!: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #response: OutgoingResponse | undefined;
  #reason: Error | undefined;
  #written = false;

  /** Throws where the message cannot be sent. */
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
        // what goes wrong with the backend must not end the connection that the answer goes out by
        body: body === undefined ? null : body.pipe(new PassThrough()).on('error', () => {}),
      },
      this,
    );
  }

  /** Gives the request up, and the rest of its answer. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#reject(this.#reason);
    this.#controller?.abort(this.#reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#reason !== undefined) controller.abort(this.#reason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusMessage = '',
  ): void {
    if (status < 200) return;
    const { rawHeaders } = controller as { rawHeaders?: Parameters<typeof texts>[0] };
    try {
      this.#response = this.#onHead({ status, statusMessage, headers: texts(rawHeaders) });
    } catch (error) {
      this.abort(error as Error);
      return;
    }
    const response = this.#response;
    response.on('drain', () => controller.resume());
    // a head and the little that came with it go out together, and a head alone as soon
    response.cork();
    process.nextTick(() => {
      if (!this.#written && !response.writableEnded) response.flushHeaders();
      response.uncork();
    });
    this.#resolve(status);
    // headers may speak of a body that another request would get
    if (this.#method === 'HEAD' || status === 204 || status === 304) response.end();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#written = true;
    const response = this.#response;
    if (response?.write(chunk) === false && response.writableLength >= MAY_WAIT) controller.pause();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    const response = this.#response;
    if (response === undefined || response.writableEnded) return;
    const { rawTrailers } = controller as { rawTrailers?: Parameters<typeof texts>[0] };
    const trailers = texts(rawTrailers);
    if (trailers.length > 0)
      response.addTrailers?.(
        Array.from({ length: trailers.length >> 1 }, (_, i): [string, string] => [
          trailers[2 * i]!,
          trailers[2 * i + 1]!,
        ]),
      );
    response.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#reject(this.#reason ?? new NoAnswer(error));
    if (this.#response?.writableEnded === false) this.#response.destroy();
  }
}

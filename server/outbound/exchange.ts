import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { atMoment } from '#base/time/at-moment.ts';
import { InterimHeads, TooManyInterimHeads } from '#program/connection/interim-heads.ts';

/** A complete answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One request with a complete answer. */
export interface WholeRequest {
  readonly method: 'GET' | 'POST';
  /** The path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The largest answer. A longer answer is an error. */
  readonly maxBytes: number;
  /** Whether the head of an answer is enough. An error after the head then leaves the body empty. */
  readonly headSuffices?: boolean;
  /** The time limit for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** The signal aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** The number of pieces of any size that an answer may arrive in. */
const FREE_PIECES = 10_000;
/** The smallest average size of the pieces of a long answer, in bytes. A piece costs at least 200 bytes. */
const LEAST_PIECE = 64;

/** Sends a request over a kept connection. Rejects unless an answer arrives in time. Redirects are answers too. */
export function exchange(pool: Pool, request: WholeRequest): Promise<WholeAnswer> {
  const { method, path, headers, body = null, maxBytes, headSuffices = false, timeoutMs, signal } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let given: Error | undefined;
    const settle = (): void => {
      callOff();
      signal?.removeEventListener('abort', cancel);
    };
    let head: Pick<WholeAnswer, 'status' | 'headers'> | undefined;
    const fail = (error: Error): void => {
      settle();
      if (headSuffices && head !== undefined) resolve({ ...head, body: Buffer.alloc(0) });
      else reject(error);
    };
    const giveUp = (why: string | Error): void => {
      given ??= typeof why === 'string' ? new Error(why) : why;
      fail(given);
      controller?.abort(given);
    };
    const cancel = (): void => giveUp('context canceled');
    // For a caller with the same deadline, the deadline has passed when this call ends.
    const callOff = atMoment(performance.now() + timeoutMs, () => giveUp('context deadline exceeded'));
    if (signal?.aborted === true) {
      cancel();
      return;
    }
    signal?.addEventListener('abort', cancel, { once: true });
    const interim = new InterimHeads();
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (whole: Pick<WholeAnswer, 'status' | 'headers'>): void => {
      settle();
      resolve({ ...whole, body: Buffer.concat(chunks) });
    };
    pool.dispatch(
      { method, path, headers, body },
      {
        onRequestStart(started) {
          controller = started;
          if (given !== undefined) started.abort(given);
        },
        onResponseStart(_, status, received) {
          if (status < 200) {
            if (interim.next()) giveUp(new TooManyInterimHeads());
            return;
          }
          head = { status, headers: received };
          // Its headers may describe the body, which has not changed.
          if (status === 304) finish(head);
        },
        onResponseData(_, chunk) {
          size += chunk.length;
          if (size > maxBytes) giveUp(`the answer is longer than ${maxBytes} bytes`);
          else if (chunks.length > FREE_PIECES && size < chunks.length * LEAST_PIECE)
            giveUp('the answer comes in too many small pieces');
          else chunks.push(chunk);
        },
        onResponseEnd: () => finish(head!),
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

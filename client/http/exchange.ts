import type { Duplex } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { InterimHeads, TooManyInterimHeads } from '#program/connection/interim-heads.ts';
import { ConnectionError } from '../errors.ts';
import { Answer, type AnswerHeaders, Body, type Incoming } from './answer.ts';

/** One request in the form in which it is sent. */
export interface Outgoing {
  readonly method: string;
  /** The path, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer | undefined;
  /** The signal that ends the request and its answer with its reason. */
  readonly signal: AbortSignal;
  /** Called just before the request is written to a connection. It throws to stop the request. */
  readonly guard?: (() => void) | undefined;
}

/** How a request can end. */
interface Outcomes<T> {
  answered(incoming: Incoming): T;
  /** Called with the upgraded connection. Only requests that ask for another protocol need it. */
  upgraded?(connection: Upgraded): T;
}

/** A connection that no longer carries HTTP. */
export interface Upgraded {
  readonly socket: Duplex;
  readonly headers: AnswerHeaders;
}

/**
 * Sends one request once. Resolves to the head of the answer. Rejects with a {@link ConnectionError} if no answer
 * comes, with the error of the guard, or with the signal's reason.
 */
export function exchange(pool: Pool, outgoing: Outgoing): Promise<Incoming> {
  // A DELETE request may have a body with options. Even so, its connection can be used again after the answer.
  return send(pool, outgoing, { body: outgoing.body ?? null, reset: false }, { answered: (incoming) => incoming });
}

/**
 * Sends a request for another protocol. Resolves to the connection if the server agrees (101), and otherwise to its
 * answer. Rejects like {@link exchange}. The signal has an effect only until then.
 *
 * @example const upgraded = await askForUpgrade(pool, outgoing, 'websocket');
 */
export function askForUpgrade(pool: Pool, outgoing: Outgoing, protocol: string): Promise<Upgraded | Incoming> {
  return send<Upgraded | Incoming>(
    pool,
    outgoing,
    { upgrade: protocol },
    { answered: (incoming) => incoming, upgraded: (connection) => connection },
  );
}

function send<T>(
  pool: Pool,
  outgoing: Outgoing,
  how: Pick<Dispatcher.DispatchOptions, 'body' | 'reset' | 'upgrade'>,
  { answered, upgraded }: Outcomes<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const { signal, guard } = outgoing;
    if (signal.aborted) {
      reject(reasonOf(signal));
      return;
    }
    const body = new Body();
    const interim = new InterimHeads();
    let controller: Dispatcher.DispatchController | undefined;
    let sent = false;
    const abort = () => {
      const reason = reasonOf(signal);
      controller?.abort(reason);
      fail(reason);
    };
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      reject(error);
      body.fail(error);
    };
    signal.addEventListener('abort', abort, { once: true });
    pool.dispatch(
      {
        method: outgoing.method as Dispatcher.HttpMethod,
        path: outgoing.path,
        headers: outgoing.headers as Record<string, string | string[]>,
        ...how,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (signal.aborted) {
            started.abort(reasonOf(signal));
            return;
          }
          try {
            guard?.();
            sent = true;
          } catch (error) {
            fail(asError(error));
            started.abort(asError(error));
          }
        },
        ...(upgraded !== undefined && {
          onRequestUpgrade(_, __, headers, socket) {
            signal.removeEventListener('abort', abort);
            resolve(upgraded({ socket, headers }));
          },
        }),
        onResponseStart(started, status, headers) {
          if (status < 200) {
            if (interim.next()) started.abort(new TooManyInterimHeads());
            return;
          }
          body.onWait = (wait) => (wait ? started.pause() : started.resume());
          body.onLeave = () => started.abort(new Error('the reader has left this answer'));
          resolve(answered(new Answer(status, headers, body)));
        },
        onResponseData(_, chunk) {
          body.push(chunk);
        },
        onResponseEnd() {
          signal.removeEventListener('abort', abort);
          body.end();
        },
        onResponseError(_, error) {
          fail(signal.aborted ? reasonOf(signal) : new ConnectionError(error.message, sent, { cause: error }));
        },
      },
    );
  });
}

/** Why a signal was aborted, as an error. */
export function reasonOf(signal: AbortSignal): Error {
  return asError(signal.reason);
}

/** A thrown value as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

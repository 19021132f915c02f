import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type { LoadedConnection } from '#program/connection/loaded-connection.ts';
import type { CountedCall } from './call-metrics.ts';
import type { WholeAnswer } from './exchange.ts';
import { httpsClient } from './https-request.ts';
import { authorizationOf, trustOf } from './webhook-connection.ts';
import { whyFailed } from './why-failed.ts';

/** The time limits and the number of tries for a remote reviewer; times in milliseconds. */
export interface ReviewClientOptions {
  readonly timeoutMs?: number;
  /** The waiting times before further attempts. The first is this long, and each next one is half as long again. */
  readonly retryMs?: number;
  readonly attempts?: number;
  readonly counted?: CountedCall;
}

/**
 * Sends a review to a remote server and returns the `status` of its answer, or {} if there is none. Throws
 * {@link ReviewError}.
 */
export type ReviewClient = (review: JsonObject, limits?: ReviewLimits) => Promise<JsonObject>;

/** The limits of a call. The signal of the request aborts it early. */
export interface ReviewLimits {
  readonly signal: AbortSignal;
  /** Milliseconds, on the clock of `performance.now()`. */
  readonly deadlineAt: number;
}

/** The error that the remote server could not be reached or did not decide. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
}

/** Sends reviews to the server of a connection file, with the client certificate or token in this file. */
export function reviewClient(connection: LoadedConnection, options: ReviewClientOptions = {}): ReviewClient {
  const { timeoutMs = 30_000, retryMs = 500, attempts = 5, counted } = options;
  const url = new URL(connection.server);
  const send = httpsClient(trustOf(connection), counted, connection.proxyUrl);
  const ask = async (body: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<WholeAnswer> => {
    const authorization = await authorizationOf(connection);
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      ...(authorization !== undefined && { Authorization: authorization }),
    };
    return send({ url, method: 'POST', headers, body, timeoutMs, signal });
  };
  return async (review, limits) => {
    const body = JSON.stringify(review);
    const signal = limits?.signal;
    const allowed = Math.min(timeoutMs, (limits?.deadlineAt ?? Number.POSITIVE_INFINITY) - performance.now());
    const deadline = performance.now() + allowed;
    for (let attempt = 1, wait = retryMs; ; attempt++, wait *= 1.5) {
      const left = deadline - performance.now();
      const outcome = await ask(body, Math.max(1, left), signal).then(
        (answer) => outcomeOf(answer, review),
        (error: Error) => retry(`cannot reach ${url.origin}: ${whyFailed(error, url.host)}`),
      );
      if ('status' in outcome) return outcome.status;
      const pause = wait * (1 + Math.random() * 0.2);
      const again =
        outcome.again && signal?.aborted !== true && attempt < attempts && performance.now() + pause < deadline;
      if (!again) throw new ReviewError(outcome.error);
      await sleep(timerMs(pause), undefined, { ...(signal && { signal }) }).catch(() => {});
    }
  };
}

type Outcome = { readonly status: JsonObject } | { readonly error: string; readonly again: boolean };

function retry(error: string): Outcome {
  return { error, again: true };
}

function outcomeOf({ status, body }: WholeAnswer, asked: JsonObject): Outcome {
  if (status >= 200 && status < 300) return read(body, asked);
  if (status === 429) return retry('the server has received too many requests and has asked us to try again later');
  if (status >= 500) return retry('an error on the server has prevented the request from succeeding');
  return { error: refusals[status] ?? 'the server rejected our request for an unknown reason', again: false };
}

const refusals: Readonly<Record<number, string>> = {
  401: 'the server has asked for the client to provide credentials',
  403: 'the server does not allow access to the requested resource',
  404: 'the server could not find the requested resource',
};

/**
 * Reads the answer of a review. A malformed answer decides nothing. If an answer names its kind, it must be the
 * requested kind.
 */
function read(body: Buffer, asked: JsonObject): Outcome {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return { status: {} };
  }
  if (!isObject(value)) return { status: {} };
  for (const name of ['apiVersion', 'kind']) {
    if ((value[name] ?? '') !== '' && value[name] !== asked[name]) {
      return { error: `the server answered with another ${name} than ${String(asked[name])}`, again: false };
    }
  }
  return { status: isObject(value['status']) ? value['status'] : {} };
}

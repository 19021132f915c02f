import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import { statusOf } from '../answers.ts';
import type { Credentials, Identity } from '../connection/credentials.ts';
import { ApiError, ConnectionError, DeadlineError } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { AnswerHeaders, Incoming } from './answer.ts';
import type { Connections, Purpose } from './connections.ts';
import type { Outgoing, Upgraded } from './exchange.ts';
import { Pools } from './pools.ts';
import { RateLimit } from './rate-limit.ts';

/** One call of the API. */
export interface Call {
  readonly method: string;
  /** The path, with the query, in the form in which it is sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * The time limit in milliseconds for the whole call: waiting, all attempts, and the body. Default {@link
   * TransportOptions.timeoutMs}.
   */
  readonly timeoutMs?: number | undefined;
  /** See {@link Outgoing.guard}. */
  readonly guard?: (() => void) | undefined;
  /**
   * Present if the path already includes the path of the server. The caller then gets every answer, whatever its
   * status.
   */
  readonly asItIs?: boolean | undefined;
  /** Present if the caller itself repeats the call after a 429 without Retry-After. The caller then gets the error. */
  readonly asksAgain?: boolean | undefined;
}

/** A call that asks for a connection of another protocol (`websocket`, `SPDY/3.1`). */
export interface UpgradeCall extends Omit<Call, 'headers'> {
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  readonly protocol: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

/** A request that was sent, and the head of the answer if one came. */
export interface Attempt {
  readonly method: string;
  /** The host, with the port if it differs from the default of the scheme. */
  readonly host: string;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** The time until the head of the answer, or until the caller gave up. */
  readonly seconds: number;
}

export interface TransportOptions {
  /** The URL of the server, with the scheme. Its path is a prefix of all paths. */
  readonly server: string;
  readonly credentials: Credentials;
  /** The URL of the proxy for the server, if `connections` is not given. */
  readonly proxyUrl?: string | undefined;
  /**
   * The number of requests per second, and how many may be sent at once. 0 (default) means no limit. Watches are not
   * limited.
   */
  readonly qps?: number;
  readonly burst?: number;
  /** Milliseconds that a call may take, 30,000 by default. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /**
   * Connections that this transport shares with others. They must lead to the same server with the same certificate.
   * {@link Pools} by default.
   */
  readonly connections?: Connections;
  /** Whether a read with a 503 answer is sent again even without a Retry-After. True by default. */
  readonly repeatsReads?: boolean;
  /** Called after each request, and also after each repetition. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

/** How often a call is repeated if the server refused it for the moment (429, or 503 with Retry-After). */
const SENT_AWAY_TIMES = 10;
/** How often a read is repeated after its connection broke. */
const READ_AGAIN_TIMES = 3;
const FIRST_BACK_OFF_MS = 100;
const LONGEST_BACK_OFF_MS = 10_000;

/**
 * Calls to one server over kept connections. A call whose answer has a Retry-After is sent again at that time. A read
 * is sent again if its connection broke. A write that the server may have received is not sent again. If the server
 * refuses the credentials, they are fetched again once.
 */
export class Transport {
  readonly #origin: string;
  readonly #prefix: string;
  readonly #credentials: Credentials;
  readonly #limit: RateLimit;
  readonly #connections: Connections;
  readonly #timeoutMs: number;
  readonly #userAgent: string;
  readonly #host: string;
  readonly #repeatsReads: boolean;
  readonly #onAttempt: TransportOptions['onAttempt'];

  constructor(options: TransportOptions) {
    const url = new URL(options.server);
    this.#origin = url.origin;
    this.#host = url.host;
    this.#repeatsReads = options.repeatsReads ?? true;
    this.#onAttempt = options.onAttempt;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#credentials = options.credentials;
    this.#limit = new RateLimit(options.qps ?? 0, options.burst ?? 0);
    this.#connections = options.connections ?? new Pools(this.#origin, options.proxyUrl);
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#userAgent = options.userAgent ?? 'orch-client';
  }

  /** The address of the server. */
  get server(): string {
    return this.#origin + this.#prefix;
  }

  /** A call with a complete answer. An answer that reports a failure is thrown as {@link ApiError}. */
  async call(call: Call): Promise<Answer> {
    const timeout = call.timeoutMs ?? this.#timeoutMs;
    const { signal, clear } = withDeadline(call, timeout);
    try {
      const { status, headers, text } = await this.#attempts(call, 'request', signal);
      if (status >= 300) throw toApiError(status, headers, text);
      return { status, headers, text };
    } finally {
      clear();
    }
  }

  /**
   * A call whose answer continues, such as a watch. Resolves to the head of the answer. Only the time until then is
   * limited.
   */
  async open(call: Call): Promise<Incoming> {
    const { signal, clear, clearTimer } = withDeadline(call, call.timeoutMs ?? this.#timeoutMs);
    try {
      const incoming = await this.#attempts(call, 'watch', signal);
      if (incoming.status >= 300 && call.asItIs !== true)
        throw toApiError(incoming.status, incoming.headers, await incoming.text());
      clearTimer();
      return untilRead(incoming, clear);
    } catch (error) {
      clear();
      throw error;
    }
  }

  /**
   * A call for a connection with another protocol. Only the time until the connection is ready is limited. If the
   * server does not agree, its answer is thrown as {@link ApiError}.
   */
  async upgrade(call: UpgradeCall): Promise<Upgraded> {
    const { signal, clear } = withDeadline(call, call.timeoutMs ?? this.#timeoutMs);
    try {
      for (let renewed = false; ; renewed = true) {
        const identity = await this.#credentials.get(signal);
        const outgoing = this.#outgoing(call, identity, signal);
        const answer = await this.#connections.askForUpgrade(identity.tls, outgoing, call.protocol);
        if ('socket' in answer) return answer;
        const text = await answer.text();
        if (answer.status === 401 && !renewed && this.#credentials.refused(identity)) continue;
        throw toApiError(answer.status, answer.headers, text);
      }
    } finally {
      clear();
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.#connections.destroy();
  }

  async #attempts(call: Call, kind: 'request', signal: AbortSignal): Promise<Answer>;
  async #attempts(call: Call, kind: 'watch', signal: AbortSignal): Promise<Incoming>;
  async #attempts(call: Call, kind: 'request' | 'watch', signal: AbortSignal): Promise<Answer | Incoming> {
    const reads = call.method === 'GET' || call.method === 'HEAD';
    let sentAway = 0;
    let broken = 0;
    let renewed = false;
    let last: Answer | ConnectionError;
    for (;;) {
      if (kind === 'request') await this.#limit.take(signal);
      const identity = await this.#credentials.get(signal);
      let wait: number;
      try {
        const incoming = await this.#send(kind, identity, this.#outgoing(call, identity, signal));
        const { status, headers } = incoming;
        if (kind === 'watch' && (status < 300 || (call.asItIs === true && status !== 401))) return incoming;
        const answer = { status, headers, text: await incoming.text() };
        const after = retryAfterOf(headers);
        if (status === 401 && !renewed && this.#credentials.refused(identity)) {
          renewed = true;
          continue;
        }
        const isForCaller = call.asksAgain === true && after === undefined;
        const isBusy = status === 503 && (after !== undefined || (reads && this.#repeatsReads));
        const mayRepeat = (status === 429 && !isForCaller) || isBusy;
        if (!mayRepeat || sentAway >= SENT_AWAY_TIMES) return kind === 'watch' ? wholeAnswer(answer) : answer;
        last = answer;
        wait = after === undefined ? backOff(sentAway) : after * 1000;
        sentAway++;
      } catch (error) {
        const mayRepeat = error instanceof ConnectionError && error.sent && reads && kind === 'request';
        if (!mayRepeat || error instanceof DeadlineError || broken >= READ_AGAIN_TIMES) throw error;
        last = error;
        wait = backOff(broken++);
      }
      try {
        await sleep(timerMs(wait), undefined, { signal });
      } catch {
        // No other attempt can end in time. The error of the last attempt is more useful than an error about the time
        // limit.
        if (!(signal.reason instanceof DeadlineError)) signal.throwIfAborted();
        if (last instanceof Error) throw last;
        return kind === 'watch' ? wholeAnswer(last) : last;
      }
    }
  }

  async #send(purpose: Purpose, identity: Identity, outgoing: Outgoing): Promise<Incoming> {
    const onAttempt = this.#onAttempt;
    if (onAttempt === undefined) return this.#connections.exchange(purpose, identity.tls, outgoing);
    const began = performance.now();
    let status: number | undefined;
    try {
      const incoming = await this.#connections.exchange(purpose, identity.tls, outgoing);
      status = incoming.status;
      return incoming;
    } finally {
      const seconds = (performance.now() - began) / 1000;
      onAttempt({ method: outgoing.method, host: this.#host, status, seconds });
    }
  }

  #outgoing(call: Call | UpgradeCall, identity: Identity, signal: AbortSignal): Outgoing {
    return {
      method: call.method,
      path: call.asItIs === true ? call.path : this.#prefix + call.path,
      headers: { 'user-agent': this.#userAgent, ...identity.headers, ...call.headers },
      body: call.body,
      signal,
      guard: call.guard,
    };
  }
}

/**
 * The waiting time before another attempt. It is half of a time that doubles with each attempt, plus a random part of
 * the other half.
 */
function backOff(attempt: number): number {
  const full = Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** attempt);
  return full / 2 + (Math.random() * full) / 2;
}

function wholeAnswer({ status, headers, text }: Answer): Incoming {
  return {
    status,
    headers,
    text: async () => text,
    async *pieces() {
      yield Buffer.from(text);
    },
  };
}

/** The answer. It calls `ended` when the caller has read it or has stopped reading it. */
function untilRead(incoming: Incoming, ended: () => void): Incoming {
  return {
    status: incoming.status,
    headers: incoming.headers,
    text: () => incoming.text().finally(ended),
    async *pieces() {
      try {
        yield* incoming.pieces();
      } finally {
        ended();
      }
    },
  };
}

/** The number of seconds in the header. A date (RFC 9110, 10.2.3) is converted to seconds from now. */
function retryAfterOf(headers: AnswerHeaders): number | undefined {
  const text = headers['retry-after'];
  if (typeof text !== 'string') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

function toApiError(code: number, headers: AnswerHeaders, text: string): ApiError {
  const after = retryAfterOf(headers);
  if (String(headers['content-type'] ?? '').includes('json')) {
    try {
      const status = statusOf(parseJson(text));
      if (status !== undefined) return new ApiError(code, status, after ?? status.details?.retryAfterSeconds, headers);
    } catch {
      // The answer has no Status, so a proxy has sent it.
    }
  }
  const message = text.length > 0 && text.length < 1000 ? text.trim() : '';
  return new ApiError(code, { code, message }, after, headers);
}

/** A signal that is aborted by the caller's signal or by a deadline. */
function withDeadline(call: Call | UpgradeCall, timeoutMs: number) {
  const controller = new AbortController();
  const stop = () => controller.abort(call.signal?.reason);
  if (call.signal?.aborted) stop();
  else call.signal?.addEventListener('abort', stop, { once: true });
  const late = () =>
    controller.abort(new DeadlineError(`${call.method} ${call.path} took longer than ${timeoutMs} ms`, true));
  const timer = Number.isFinite(timeoutMs) ? setTimeout(late, timerMs(timeoutMs)) : undefined;
  const clearTimer = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    clearTimer,
    clear: () => {
      clearTimer();
      call.signal?.removeEventListener('abort', stop);
    },
  };
}

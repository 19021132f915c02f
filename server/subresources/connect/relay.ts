import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Pool } from 'undici';
import { badRequest, leavingServer, timeout } from '#base/errors/status-error.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type { Answer } from '../../api/answer.ts';
import { bodyOf, type OutgoingResponse } from '../../api/exchange.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { type UpgradeSocket, upgradeOf } from '../../api/upgrade.ts';
import {
  authorityOf,
  type Backend,
  badGateway,
  garbled,
  malformed,
  openRequest,
  unreachable,
} from '../../outbound/backend.ts';
import { type Credentials, forwardedHeaders, pairsOf, returnedHeaders } from './forwarded-headers.ts';
import { type AnswerHead, NoAnswer, PooledExchange } from './pooled-exchange.ts';
import { joinConnections } from './tunnel.ts';

export interface RelayOptions {
  readonly credentials: Credentials;
  /**
   * Changes the Location of redirects, or throws the error that the client gets instead. Absent if a backend must not
   * redirect clients. The client then gets a 502.
   */
  readonly location?: (location: string) => string;
  /** Headers that are left out of the backend's answer, in lower case. */
  readonly withheld?: ReadonlySet<string>;
  /** Further headers for the backend, with names (in lower case) and values in turn. */
  readonly headers?: readonly string[];
  /**
   * The deadline for the head of the answer, on the clock of `performance.now()`. After it the client gets a 504.
   * Absent means no limit.
   */
  readonly deadline?: number;
  /**
   * Whether it is a stream without an end, such as a watch. It ends when this server starts to stop, and after that no
   * new one starts.
   */
  readonly endless?: boolean;
  /** The limit in bytes per second for each direction of an upgraded connection; absent or 0 means no limit. */
  readonly bytesPerSecond?: number;
}

type Outcome =
  | { readonly kind: 'answer'; readonly answer: IncomingMessage }
  | { readonly kind: 'upgrade'; readonly answer: IncomingMessage; readonly backend: UpgradeSocket };

/** The first reaction of the backend. Rejects with 502 or 503 if it cannot be used. */
function outcomeOf(upstream: ClientRequest, backend: Backend): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    upstream.once('response', (answer) => resolve({ kind: 'answer', answer }));
    upstream.once('upgrade', (answer, socket, head) => {
      resolve({ kind: 'upgrade', answer, backend: { socket, head } });
    });
    // This listener stays, because an error after the answer must not end the process.
    upstream.on('error', (error) => reject(unreachable(backend, error)));
    upstream.once('close', () => reject(unreachable(backend, new Error('the connection was closed'))));
  });
}

/** Ends the request to the backend when `signal` aborts. */
function endWith(signal: AbortSignal, upstream: ClientRequest): void {
  const abort = (): void => {
    upstream.destroy();
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  upstream.once('close', () => signal.removeEventListener('abort', abort));
}

/** The signal that ends an endless stream: its client has disconnected, or this server stops. */
function endOfStream(context: RequestContext): AbortSignal {
  if (context.leaving.aborted) throw leavingServer();
  return AbortSignal.any([context.signal, context.leaving]);
}

/** How often a request may use kept connections that the backend has just closed. */
const STALE_CONNECTIONS = 3;

/** Methods that change nothing. A request with such a method may be sent again. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Sends a client's request to a backend. Rejects with a StatusError if there is no usable answer. */
async function begin(
  context: RequestContext,
  backend: Backend,
  message: Message,
  {
    end,
    client,
    deadline,
  }: { readonly end: AbortSignal; readonly client: UpgradeSocket | undefined; readonly deadline: number | undefined },
): Promise<{ readonly upstream: ClientRequest; readonly outcome: Outcome }> {
  const { request } = context.raw();
  const hasBody = (request.headers['content-length'] ?? '0') !== '0' || 'transfer-encoding' in request.headers;
  const repeatable = SAFE.has(message.method) && !hasBody && client === undefined;
  for (let attempt = 1; ; attempt++) {
    const upstream = openRequest(backend, message);
    endWith(end, upstream);
    let reset = false;
    upstream.once('error', ({ code }: NodeJS.ErrnoException) => {
      reset = code === 'ECONNRESET' || code === 'EPIPE';
    });
    let late = false;
    const giveUp = (): void => {
      late = true;
      upstream.destroy();
    };
    const timer = deadline === undefined ? undefined : setTimeout(giveUp, timerMs(deadline - performance.now()));
    if (client !== undefined || repeatable) upstream.end();
    else request.pipe(upstream);
    try {
      return { upstream, outcome: await outcomeOf(upstream, backend) };
    } catch (error) {
      request.unpipe(upstream);
      if (context.signal.aborted) throw badRequest('the request was given up');
      if (end.aborted) throw leavingServer();
      if (late) throw timeout('the server that was asked did not answer in time');
      if (reset && repeatable && upstream.reusedSocket && attempt <= STALE_CONNECTIONS) continue;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Forwards a body as it arrives. An error now ends the connection, because the status is already sent. */
function passOn(answer: IncomingMessage, response: OutgoingResponse, upstream: ClientRequest): void {
  answer.on('error', () => {});
  answer.once('end', () => {
    if (answer.rawTrailers.length > 0) response.addTrailers?.(pairsOf(answer.rawTrailers));
  });
  answer.once('close', () => {
    if (!answer.complete && !response.writableEnded) response.destroy();
  });
  response.once('close', () => upstream.destroy());
  answer.pipe(bodyOf(response));
}

/**
 * Forwards a request to a backend, and its answer back, piece by piece. Accepts an upgrade if the backend does. The
 * backend may take as long as the client waits. `path` has the form of a request line.
 *
 * @throws StatusError: 503 if the backend cannot be reached, and 502 if its answer cannot be used
 */
export function relay(context: RequestContext, backend: Backend, path: string, options: RelayOptions): Promise<Answer> {
  const { request } = context.raw();
  const client = upgradeOf(request);
  const { pool } = backend;
  const isKept = pool !== undefined && client === undefined;
  const headers = forwardedHeaders(request, {
    client: context.remoteAddress,
    authority: authorityOf(backend),
    credentials: options.credentials,
    connection: client !== undefined ? 'upgraded' : isKept ? 'kept' : 'closed',
    headers: options.headers ?? [],
  });
  const message = { method: context.info.method, path, headers };
  return isKept
    ? relayPooled(context, { ...backend, pool }, message, options)
    : relayAlone(context, backend, message, options);
}

interface Message {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
}

/** Like {@link relay}, over a separate connection. */
async function relayAlone(
  context: RequestContext,
  backend: Backend,
  message: Message,
  options: RelayOptions,
): Promise<Answer> {
  const { request, response } = context.raw();
  const client = upgradeOf(request);
  const endless = client !== undefined || options.endless === true;
  const end = endless ? endOfStream(context) : context.signal;
  const { upstream, outcome } = await begin(context, backend, message, { end, client, deadline: options.deadline });
  const { answer } = outcome;
  if (outcome.kind === 'upgrade') {
    const { socket } = outcome.backend;
    socket.on('error', () => socket.destroy());
    if (client === undefined || client.socket.destroyed) {
      socket.destroy();
      throw badGateway('the backend switched protocols without being asked');
    }
    end.addEventListener('abort', () => socket.destroy(), { once: true });
    response.statusCode = 101;
    joinConnections(answer, client, outcome.backend, options.bytesPerSecond ?? 0);
    return { kind: 'hijacked', status: 101 };
  }
  const { statusCode: status = 502, statusMessage = '', rawHeaders } = answer;
  try {
    if (client !== undefined && status < 400) throw garbled(`invalid upgrade response: status code ${status}`);
    writeHead(response, { status, statusMessage, headers: rawHeaders }, options);
  } catch (error) {
    upstream.destroy();
    throw error;
  }
  response.flushHeaders();
  passOn(answer, response, upstream);
  if (endless) endWithStream(end, response, () => answer.unpipe(bodyOf(response)));
  return { kind: 'hijacked', status };
}

const GIVEN_UP = new Error('the client no longer waits for this answer');

/** Like {@link relay}, over a kept connection. */
async function relayPooled(
  context: RequestContext,
  backend: Backend & { readonly pool: Pool },
  { method, path, headers }: Message,
  options: RelayOptions,
): Promise<Answer> {
  const { request, response } = context.raw();
  const { deadline, endless } = options;
  const end = endless === true ? endOfStream(context) : undefined;
  const { 'content-length': length = '0', 'transfer-encoding': chunked } = request.headers;
  const hasBody = length !== '0' || chunked !== undefined;
  if (chunked === undefined && hasBody) headers.push('content-length', length);
  const repeatable = SAFE.has(method) && !hasBody;
  const sent = { method, path, headers, body: hasBody ? request : undefined };
  const onHead = (head: AnswerHead): OutgoingResponse => {
    writeHead(response, head, options);
    return response;
  };
  let exchange: PooledExchange | undefined;
  let late = false;
  const giveUp = (): void => exchange?.abort(GIVEN_UP);
  const leave = (): void => {
    if (endless === true && response.headersSent) response.end();
    giveUp();
  };
  // The request's signal has a cost, so it is not made only for a disconnected client. Its answer closes instead.
  end?.addEventListener('abort', leave, { once: true });
  response.once('close', () => {
    end?.removeEventListener('abort', leave);
    if (!response.writableFinished) giveUp();
  });
  const limit = (): void => {
    late = true;
    giveUp();
  };
  const timer = deadline === undefined ? undefined : setTimeout(limit, timerMs(deadline - performance.now()));
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        if (end?.aborted === true || response.destroyed) throw GIVEN_UP;
        exchange = new PooledExchange(backend.pool, sent, onHead);
        return { kind: 'hijacked', status: await exchange.started };
      } catch (error) {
        if (response.destroyed) throw badRequest('the request was given up');
        if (end?.aborted === true) throw leavingServer();
        if (late) throw timeout('the server that was asked did not answer in time');
        if (!(error instanceof NoAnswer)) throw malformed(error);
        if (!error.closed || !repeatable || attempt > STALE_CONNECTIONS) throw error.asStatus(backend);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Headers to which both this server and a backend may add values. */
const JOINED: ReadonlySet<string> = new Set(['cache-control', 'vary', 'warning']);

/** Control characters are not allowed in a line of a head. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const STEERING = /[\x00-\x08\x0a-\x1f\x7f]/;

/** A reason phrase of a status that a head can hold. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Writes the head of a backend's answer. Headers that this server has already set stay.
 * @throws the error that the client gets instead, with nothing from the backend in the response
 */
function writeHead(
  response: OutgoingResponse,
  { status, statusMessage, headers }: AnswerHead,
  { location, withheld }: RelayOptions,
): void {
  const redirects = status >= 300 && status < 400;
  const returned = returnedHeaders(headers);
  const target = redirects ? returned.find(({ key, value }) => key === 'location' && value !== '') : undefined;
  if (target !== undefined) {
    if (location === undefined) {
      throw badGateway('the backend attempted to redirect the request, which is not permitted');
    }
    target.value = location(Array.isArray(target.value) ? target.value[0]! : target.value);
  }
  if (STEERING.test(statusMessage)) throw badGateway('the backend answers with a malformed status line');
  const own = new Map(returned.map(({ key }) => [key, response.getHeader(key)]));
  try {
    for (const { name, key, value } of returned) {
      // An answer without a body has no length.
      if (withheld?.has(key) === true || (status === 204 && key === 'content-length')) continue;
      const said = own.get(key);
      if (said === undefined) response.setHeader(name, value);
      else if (JOINED.has(key)) response.setHeader(name, [said, value].flat().map(String));
    }
    if (SENDABLE.test(statusMessage)) response.writeHead(status, statusMessage);
    else response.writeHead(status);
  } catch {
    for (const [key, said] of own)
      if (said === undefined) response.removeHeader(key);
      else response.setHeader(key, said);
    throw badGateway('the backend answers with a malformed head');
  }
}

/** Makes the signal end an endless answer. `stop` prevents further writes. */
function endWithStream(end: AbortSignal, response: OutgoingResponse, stop: () => void): void {
  const leave = (): void => {
    response.end();
    stop();
  };
  end.addEventListener('abort', leave, { once: true });
  response.once('close', () => end.removeEventListener('abort', leave));
}

/**
 * Requests a stream from a backend (GET). Nothing from the client's request is sent. `deadlineAt` is the time limit for
 * the first byte of the answer, in milliseconds of `performance.now()`; undefined for an endless stream.
 */
export async function askForStream(
  context: RequestContext,
  backend: Backend,
  path: string,
  deadlineAt: number | undefined,
): Promise<IncomingMessage> {
  const upstream = openRequest(backend, {
    method: 'GET',
    path,
    headers: { host: authorityOf(backend), connection: 'close' },
  });
  const end = deadlineAt === undefined ? endOfStream(context) : context.signal;
  endWith(end, upstream);
  let late = false;
  const timer =
    deadlineAt === undefined
      ? undefined
      : setTimeout(
          () => {
            late = true;
            upstream.destroy();
          },
          timerMs(deadlineAt - performance.now()),
        );
  upstream.end();
  try {
    const outcome = await outcomeOf(upstream, backend);
    if (outcome.kind === 'answer') return outcome.answer;
    outcome.backend.socket.destroy();
    throw badGateway('the backend switched protocols without being asked');
  } catch (error) {
    if (late) throw timeout('the node did not answer in time');
    if (context.signal.aborted) throw badRequest('the request was given up');
    if (end.aborted) throw leavingServer();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../protocol/messages.ts';
import type { Api } from './api.ts';
import type { Asset } from './assets.ts';
import { EventStream } from './event-stream.ts';
import { refusalOf } from './gate.ts';
import { problemOf, RequestError } from './problem.ts';
import type { Session } from './session.ts';

export interface ExchangeContext {
  readonly port: number;
  readonly session: Session;
  readonly api: Api;
  readonly assets: ReadonlyMap<string, Asset>;
}

/** The largest body that the page sends: an object, as the server takes it. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The header of requests that the page sends by itself, while its user does nothing. */
const IDLE_HEADER = 'x-orch-idle';

const TOO_MANY =
  'Too many pages of this console are in view, and browsers keep few connections. Close or hide some: this page goes on by itself.';

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request, from the page or from an attacker, and its answer. */
export class Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #context: ExchangeContext;
  readonly #path: string;

  constructor(request: IncomingMessage, response: ServerResponse, context: ExchangeContext) {
    this.#request = request;
    this.#response = response;
    this.#context = context;
    this.#path = (request.url ?? '/').split('?', 1)[0]!;
  }

  /** Never rejects. */
  async answer(): Promise<void> {
    // It is normal that a browser closes the connection.
    this.#response.on('error', () => {});
    for (const [name, value] of Object.entries(SAFE)) this.#response.setHeader(name, value);
    let reply: Reply | undefined;
    try {
      reply = await this.#reply();
    } catch (error) {
      const problem = problemOf(error);
      reply = json({ problem }, problem.code || 502);
    }
    if (reply === undefined) return;
    const { status, type, body, headers } = reply;
    this.#response.writeHead(status, { ...headers, 'content-type': type, 'content-length': body.length }).end(body);
  }

  /** Undefined if the answer continues as a stream. */
  async #reply(): Promise<Reply | undefined> {
    const { method = '', headers } = this.#request;
    const path = this.#path;
    const { session, api, port } = this.#context;
    const refusal = refusalOf({ method, path, headers }, port);
    if (refusal !== undefined) return refused(refusal.status, refusal.reason);
    if (!path.startsWith('/api/')) return this.#asset();
    if (path === '/api/session') return this.#exchangeSecret();
    // A stream begins again by itself.
    const isUse = path !== '/api/stream' && headers[IDLE_HEADER] === undefined;
    if (!session.admits(headers.cookie, isUse))
      return refused(401, 'Open the address that the console printed. It works only once: start the console again.');
    if (method === 'GET' && path === '/api/stream') return this.#stream();
    const { searchParams } = new URL(this.#request.url ?? '/', 'http://console');
    const fields = method === 'GET' ? Object.fromEntries(searchParams) : await this.#body();
    return json((await api.answer(path.slice('/api/'.length), method, fields)) ?? {});
  }

  #asset(): Reply {
    const asset = this.#context.assets.get(this.#path);
    if (asset === undefined) return refused(404, 'There is no such file.');
    if (this.#path !== '/') return { status: 200, ...asset };
    const nonce = randomBytes(16).toString('base64');
    return {
      status: 200,
      type: asset.type,
      body: Buffer.from(asset.body.toString().replaceAll('NONCE', nonce)),
      headers: { 'content-security-policy': policy(nonce) },
    };
  }

  async #exchangeSecret(): Promise<Reply> {
    const { secret } = await this.#body();
    const cookie = this.#context.session.exchange(secret);
    if (cookie === undefined)
      return refused(401, 'This address was opened before, or it is not whole. Start the console again.');
    return { ...json({}), headers: { 'set-cookie': cookie } };
  }

  #stream(): Reply | undefined {
    const { api } = this.#context;
    const stream = new EventStream(this.#response);
    if (!api.hasRoom) {
      // An answer with another status would not reach the page: browsers keep its body from scripts.
      stream.send('refused', { problem: problemWith(429, TOO_MANY) });
      this.#response.end();
      return undefined;
    }
    const id = randomBytes(12).toString('base64url');
    api.open(id, stream);
    this.#response.once('close', () => api.close(id));
    stream.send('tab', { id });
    return undefined;
  }

  /** The JSON object in the body. @throws RequestError if the body is not an object, or too large */
  async #body(): Promise<Readonly<Record<string, unknown>>> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of this.#request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MOST_BYTES) throw new RequestError(`the body has more than ${MOST_BYTES} bytes`);
      pieces.push(piece);
    }
    let value: unknown;
    try {
      value = JSON.parse(Buffer.concat(pieces).toString());
    } catch {
      throw new RequestError('the body is not JSON');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new RequestError('the body is not a JSON object');
    return value as Readonly<Record<string, unknown>>;
  }
}

function json(value: unknown, status = 200): Reply {
  return { status, type: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

function refused(status: number, message: string): Reply {
  return json({ problem: problemWith(status, message) }, status);
}

function problemWith(code: number, message: string): Problem {
  return { code, reason: 'Console', message, causes: [], advice: '' };
}

/** The headers of every answer. */
const SAFE = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * The content security policy of the page. The page runs its own files only, and a name, event or annotation never
 * becomes markup.
 */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

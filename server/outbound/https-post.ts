import type { Pool } from 'undici';
import { openPool, type PoolLimits } from '#program/connection/open-pool.ts';
import { authorityOf } from './backend.ts';
import { type CountedCall, notCounted } from './call-metrics.ts';
import { exchange, type WholeAnswer, type WholeRequest } from './exchange.ts';
import { followRedirects, isRedirect } from './redirects.ts';
import { wasClosed } from './why-failed.ts';

/** One POST to a webhook. Certificates and keys are PEM texts. */
export interface Post {
  readonly host: string;
  readonly port: number;
  /** The path with the query. */
  readonly path: string;
  /** The name in the server's certificate, if it differs from `host`. */
  readonly serverName: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The time limit for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** The signal aborts the call. */
  readonly signal: AbortSignal;
}

/**
 * The largest answer. It contains at most a patch, and the result of a patch is not larger than a request: 3 MiB, in
 * base64.
 */
const MAX_ANSWER = 6 << 20;
const LIMITS: PoolLimits = { connections: 64, connectTimeoutMs: 30_000, idleMs: 30_000 };
/** The largest number of servers with connections. A new server replaces the one that was opened first. */
const MAX_SERVERS = 256;

/**
 * Posts to webhooks over TLS connections that are kept open. Servers with different certificates have separate
 * connections.
 */
export class HttpsPoster {
  readonly #pools = new Map<string, Pool>();
  readonly #counted: CountedCall;

  constructor(counted: CountedCall = notCounted) {
    this.#counted = counted;
  }

  /** Rejects unless a complete answer arrives in time. */
  post(post: Post): Promise<WholeAnswer> {
    const { headers, body } = post;
    return this.#counted({ method: 'POST', host: headers['Host'] ?? authorityOf(post), body }, () => this.#post(post));
  }

  async #post(post: Post): Promise<WholeAnswer> {
    const { path, headers, body, timeoutMs } = post;
    const deadline = performance.now() + timeoutMs;
    const first = { method: 'POST', path, headers, body } as const;
    const answer = await this.#send(post, first, deadline);
    if (!isRedirect(answer)) return answer;
    const url = new URL(path, `https://${headers['Host'] ?? authorityOf(post)}`);
    return followRedirects({ ...first, url }, answer, (request, isElsewhere) => {
      const { pathname, search, host, hostname, port } = request.url;
      const server = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
      const to = isElsewhere ? { ...post, ...server, cert: undefined, key: undefined } : post;
      const headers = { ...request.headers, Host: isElsewhere ? host : (first.headers['Host'] ?? host) };
      return this.#send(to, { ...request, path: pathname + search, headers }, deadline);
    });
  }

  async #send(
    post: Post,
    { method, path, headers, body }: Pick<WholeRequest, 'method' | 'path' | 'headers' | 'body'>,
    deadline: number,
  ): Promise<WholeAnswer> {
    const pool = this.#pool(post);
    const { signal } = post;
    const ask = (): Promise<WholeAnswer> => {
      const timeoutMs = Math.max(0, deadline - performance.now());
      const message = { method, path, headers, ...(body !== undefined && { body }) };
      return exchange(pool, { ...message, maxBytes: MAX_ANSWER, timeoutMs, signal });
    };
    const mayBeStale = pool.stats.free > 0;
    try {
      return await ask();
    } catch (error) {
      // The other side closed a kept connection at the moment of its next use.
      if (!mayBeStale || !wasClosed(error as Error)) throw error;
      return ask();
    }
  }

  #pool({ host, port, serverName, ca, cert, key }: Post): Pool {
    const origin = `https://${authorityOf({ host, port })}`;
    const name = JSON.stringify([origin, serverName, ca, cert, key]);
    const known = this.#pools.get(name);
    if (known !== undefined) return known;
    const pool = openPool(origin, { serverName, ca, cert, key }, LIMITS);
    this.#pools.set(name, pool);
    if (this.#pools.size > MAX_SERVERS) {
      const [oldest] = this.#pools;
      this.#pools.delete(oldest![0]);
      void oldest![1].close();
    }
    return pool;
  }
}

import type { Trust } from '#program/connection/kept-connections.ts';
import type { PoolLimits } from '#program/connection/open-pool.ts';
import { dialThrough } from '#program/connection/proxy.ts';
import { type CountedCall, notCounted } from './call-metrics.ts';
import { exchange, type WholeAnswer } from './exchange.ts';
import { Pools } from './pools.ts';
import { followRedirects, isRedirect } from './redirects.ts';

export interface HttpsRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time limit for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** The signal aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to one server, and to the servers to which its answers redirect. */
export type HttpsClient = (request: HttpsRequest) => Promise<WholeAnswer>;

/** The largest answer. The servers send only small answers, so a longer one is an error. */
const MAX_BODY = 4 << 20;
const LIMITS: PoolLimits = { connections: 32, connectTimeoutMs: 30_000, idleMs: 60_000 };

/**
 * A client with its own kept connections. It rejects unless a complete answer arrives in time.
 *
 * @param proxyUrl the proxy in the form of a connection file; undefined for none
 * @throws TypeError if the text is not the address of a proxy
 */
export function httpsClient(trust: Trust = {}, counted: CountedCall = notCounted, proxyUrl?: string): HttpsClient {
  const dial = proxyUrl === undefined ? undefined : dialThrough(proxyUrl, LIMITS.connectTimeoutMs);
  const pools = new Pools(trust, { ...LIMITS, dial });
  const { cert: _cert, key: _key, ...anonymous } = trust;
  const elsewhere = new Pools(anonymous, { ...LIMITS, dial });
  const send = async ({ url, headers = {}, timeoutMs, ...request }: HttpsRequest): Promise<WholeAnswer> => {
    const deadline = performance.now() + timeoutMs;
    const { signal } = request;
    const path = url.pathname + url.search;
    const first = { ...request, path, headers, maxBytes: MAX_BODY, timeoutMs };
    const answer = await exchange(pools.at(url.origin, trust), first);
    if (!isRedirect(answer)) return answer;
    return followRedirects({ ...request, url, headers }, answer, ({ url: next, ...hop }, isElsewhere) => {
      const pool = isElsewhere ? elsewhere.at(next.origin, anonymous) : pools.at(next.origin, trust);
      const left = Math.max(0, deadline - performance.now());
      return exchange(pool, { ...hop, path: next.pathname + next.search, maxBytes: MAX_BODY, timeoutMs: left, signal });
    });
  };
  return (request) =>
    counted({ method: request.method, host: request.url.host, body: request.body }, () => send(request));
}

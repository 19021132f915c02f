import type { Trust } from '#program/connection/kept-connections.ts';
import type { PoolLimits } from '#program/connection/open-pool.ts';
import { dialThrough } from '#program/connection/proxy.ts';
import { type CountedCall, notCounted } from './call-metrics.ts';
import { exchange, type WholeAnswer } from './exchange.ts';
import { Pools } from './pools.ts';

export interface HttpsRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time limit for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to one server. */
export type HttpsClient = (request: HttpsRequest) => Promise<WholeAnswer>;

/** Answers of the servers asked here are small; longer ones are an error. */
const MAX_BODY = 4 << 20;
const LIMITS: PoolLimits = { connections: 32, connectTimeoutMs: 30_000, idleMs: 60_000 };

/**
 * A client with its own kept connections. It rejects unless a complete answer arrives in time.
 *
 * @param proxyUrl the proxy in between, as a connection file names it; undefined for none
 * @throws TypeError if the text is not the address of a proxy
 */
export function httpsClient(trust: Trust = {}, counted: CountedCall = notCounted, proxyUrl?: string): HttpsClient {
  const dial = proxyUrl === undefined ? undefined : dialThrough(proxyUrl, LIMITS.connectTimeoutMs);
  const pools = new Pools(trust, { ...LIMITS, dial });
  const send = ({ url, headers = {}, ...request }: HttpsRequest): Promise<WholeAnswer> =>
    exchange(pools.at(url.origin, trust), {
      ...request,
      path: url.pathname + url.search,
      headers,
      maxBytes: MAX_BODY,
    });
  return (request) =>
    counted({ method: request.method, host: request.url.host, body: request.body }, () => send(request));
}

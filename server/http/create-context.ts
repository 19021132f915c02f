import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { IncomingRequest, OutgoingResponse } from '../api/exchange.ts';
import type { RequestContext, Warnings } from '../api/request-context.ts';
import { requestInfo } from '../api/request-info.ts';
import { parseDuration } from '../flags/duration.ts';
import { RequestStages } from '../tracing/request-stages.ts';
import { clientAddress } from './proxy-protocol.ts';
import { readBody } from './read-body.ts';
import { WarningList } from './warnings.ts';

/** Time a request may take, in milliseconds (`--request-timeout`); `timeout` in the query may shorten it. */
export interface ContextOptions {
  readonly requestTimeoutMs: number;
  /** Aborts when this replica is about to end. */
  readonly leaving: AbortSignal;
}

const NO_CERTIFICATES: readonly Buffer[] = [];

function certificates(socket: TLSSocket): readonly Buffer[] {
  if (typeof socket.getPeerCertificate !== 'function') return NO_CERTIFICATES;
  const chain: Buffer[] = [];
  let certificate = socket.getPeerCertificate(true);
  while (certificate?.raw !== undefined) {
    chain.push(certificate.raw);
    if (certificate.issuerCertificate === undefined || certificate.issuerCertificate === certificate) break;
    certificate = certificate.issuerCertificate;
    if (chain.length > 10) break;
  }
  return chain;
}

/** Aborts when the client is gone. */
function closed(response: OutgoingResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}

/** The certificates of a connection do not change while it is open. */
const ofSocket = new WeakMap<object, readonly Buffer[]>();

/** The client's own limit, `timeout` in the query; 0 and none mean the server's. A malformed one is refused later. */
function askedTimeout(query: URLSearchParams): number | undefined {
  const text = query.get('timeout');
  if (text === null || text === '') return undefined;
  try {
    const asked = parseDuration(text);
    return asked > 0 ? asked : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_ID = 64;

/** Clients may name their requests, to find them in the audit log; overlong names are cut. */
function requestId(request: IncomingRequest): string {
  const asked = request.headers['audit-id'];
  return typeof asked === 'string' && /^[!-~]+$/.test(asked) ? asked.slice(0, LONGEST_ID) : randomUUID();
}

/** A request's target as a path and query: clients may send an absolute URL, as to a proxy (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [authority = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(target) ?? [];
  const rest = target.slice(authority.length);
  return rest.startsWith('/') || authority === '' ? rest : `/${rest}`;
}

/** Makes the value that follows a request through the chain. */
export function createContext(
  request: IncomingRequest,
  response: OutgoingResponse,
  options: ContextOptions,
): RequestContext & { readonly warnings: WarningList } {
  const url = originForm(request.url ?? '/');
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  // a question mark in front of a query would be dropped, and a parameter found that nobody sent
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1).replace(/^\?/, '%3F'));
  const info = requestInfo(request.method ?? 'GET', path, query);
  const receivedAt = Date.now();
  const timeoutMs = Math.min(askedTimeout(query) ?? options.requestTimeoutMs, options.requestTimeoutMs);
  const deadlineAt = performance.now() + timeoutMs;
  const warnings = new WarningList();
  let body: Promise<Buffer> | undefined;
  let signal: AbortSignal | undefined;
  const stages = new RequestStages();
  const arrivingBody = (): Promise<Buffer> => {
    stages.enter('reading');
    return readBody(request, deadlineAt).finally(() => stages.leave('reading'));
  };
  return {
    info,
    id: requestId(request),
    query,
    receivedAt,
    deadlineAt,
    warnings: warnings as Warnings & WarningList,
    annotations: new Map(),
    user: undefined,
    resources: undefined,
    form: undefined,
    audit: undefined,
    stages,
    // few requests need it, and it is not cheap
    get signal() {
      signal ??= closed(response);
      return signal;
    },
    leaving: options.leaving,
    remoteAddress: clientAddress(request.socket),
    raw: () => ({ request, response }),
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    headerValues(name) {
      return request.headersDistinct[name] ?? [];
    },
    readBody() {
      body ??= arrivingBody();
      return body;
    },
    peerCertificates() {
      const { socket } = request;
      let known = ofSocket.get(socket);
      if (known === undefined) ofSocket.set(socket, (known = certificates(socket as TLSSocket)));
      return known;
    },
  };
}

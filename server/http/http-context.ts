import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { RequestStages } from '#program/tracing/request-stages.ts';
import { parseDuration } from '#schema/values/duration.ts';
import type { AuditRecord } from '../api/audit-record.ts';
import type { Exchange, IncomingRequest, OutgoingResponse } from '../api/exchange.ts';
import type { Negotiated, RequestContext, RequestInfo } from '../api/request-context.ts';
import { RequestEnd } from '../api/request-end.ts';
import { requestInfo } from '../api/request-info.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { ServedResources } from '../api/served-resources.ts';
import type { UserInfo } from '../api/user-info.ts';
import { peerCertificates } from './peer-certificates.ts';
import { clientAddress } from './proxy-protocol.ts';
import { readBody } from './read-body.ts';
import { originForm, queryOf } from './target.ts';
import { WarningList } from './warnings.ts';

/** The time limit of a request, in milliseconds (`--request-timeout`). `timeout` in the query may shorten it. */
export interface ContextOptions {
  readonly requestTimeoutMs: number;
  /** Aborts when this replica starts to stop. */
  readonly leaving: AbortSignal;
}

const NO_HEADERS: IncomingHttpHeaders = Object.freeze({});
const NO_RAW_HEADERS: readonly string[] = [];

/** Aborts when the client disconnects. */
function closed(response: OutgoingResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}

/**
 * The client's own limit, `timeout` in the query. 0 and a missing limit mean that of the server. A malformed limit is
 * refused later.
 */
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

/**
 * Joins the parts of a text and returns it. The engine keeps a concatenated text as a tree of parts (14 here). Reading
 * its first character joins them.
 */
function inOnePiece(text: string): string {
  text.charCodeAt(0);
  return text;
}

/**
 * The name of a request, which a client may choose to find the request in the audit log. A name that is too long is
 * cut.
 */
function requestId(request: IncomingRequest): string {
  const asked = request.headers['audit-id'];
  return typeof asked === 'string' && /^[!-~]+$/.test(asked) ? asked.slice(0, LONGEST_ID) : inOnePiece(randomUUID());
}

/** The context that follows a request through the chain. Rarely needed parts are made at their first use. */
export class HttpContext implements RequestContext {
  readonly info: RequestInfo;
  readonly id: string;
  readonly receivedAt = Date.now();
  readonly deadlineAt: number;
  readonly warnings = new WarningList();
  readonly stages = new RequestStages();
  readonly end = new RequestEnd();
  readonly leaving: AbortSignal;
  readonly remoteAddress: string;
  user: UserInfo | undefined = undefined;
  resources: ServedResources | undefined = undefined;
  served: ServedResource | undefined = undefined;
  form: Negotiated | undefined = undefined;
  audit: AuditRecord | undefined = undefined;
  bodyLength = 0;
  storedLength = 0;
  readonly #exchange: Exchange;
  #query: URLSearchParams | undefined;
  #annotations: Map<string, string> | undefined = undefined;
  #body: Promise<Buffer> | undefined = undefined;
  #signal: AbortSignal | undefined = undefined;

  constructor(request: IncomingRequest, response: OutgoingResponse, options: ContextOptions) {
    this.#exchange = { request, response };
    const url = originForm(request.url ?? '/');
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = queryOf(url);
    this.#query = query;
    this.info = requestInfo(request.method ?? 'GET', path, query);
    this.id = requestId(request);
    const timeoutMs = Math.min(askedTimeout(query) ?? options.requestTimeoutMs, options.requestTimeoutMs);
    this.deadlineAt = this.stages.started + timeoutMs;
    this.leaving = options.leaving;
    this.remoteAddress = clientAddress(request.socket);
  }

  get signal(): AbortSignal {
    this.#signal ??= closed(this.#exchange.response);
    return this.#signal;
  }

  get query(): URLSearchParams {
    this.#query ??= queryOf(originForm(this.#exchange.request.url ?? '/'));
    return this.#query;
  }

  get annotations(): Map<string, string> {
    this.#annotations ??= new Map();
    return this.#annotations;
  }

  raw(): Exchange {
    return this.#exchange;
  }

  header(name: string): string | undefined {
    const value = this.#exchange.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  headerValues(name: string): readonly string[] {
    return this.#exchange.request.headersDistinct[name] ?? [];
  }

  /**
   * Called when the answer has started and will last long. Releases everything that its end does not need. A watch
   * would keep it for hours, and a server has thousands of watches.
   */
  rest(): void {
    const { request } = this.#exchange;
    const { 'user-agent': userAgent } = request.headers;
    request.headers = userAgent === undefined ? NO_HEADERS : { 'user-agent': userAgent };
    request.rawHeaders = NO_RAW_HEADERS;
    this.#query = undefined;
    this.#body = undefined;
    this.form = undefined;
    this.stages.rest();
  }

  readBody(): Promise<Buffer> {
    this.#body ??= this.#arrivingBody();
    return this.#body;
  }

  peerCertificates(): readonly Buffer[] {
    return peerCertificates(this.#exchange.request.socket);
  }

  async #arrivingBody(): Promise<Buffer> {
    this.stages.enter('reading');
    try {
      const body = await readBody(this.#exchange.request, this.deadlineAt);
      this.bodyLength = body.length;
      return body;
    } finally {
      this.stages.leave('reading');
    }
  }
}

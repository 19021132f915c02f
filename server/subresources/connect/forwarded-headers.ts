import type { IncomingRequest } from '../../api/exchange.ts';
import { garbled } from '../../outbound/backend.ts';

/** Headers about one connection (RFC 9110, 7.6.1), and headers that the HTTP layer itself writes. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Matches a client that accepts trailers. They are forwarded only to such clients. */
const TAKES_TRAILERS = /(?:^|,)\s*trailers\s*(?:,|$)/i;

/** Headers of this server about the origin of a request. */
const REWRITTEN = new Set(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-uri']);

/**
 * Headers that only this server sets: the request id, the rules for browsers of other origins, and headers that apply
 * to every answer at its address, from any backend.
 */
const OWN_WORDS = new Set([
  'audit-id',
  'alt-svc',
  'clear-site-data',
  'nel',
  'report-to',
  'reporting-endpoints',
  'strict-transport-security',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

/** Headers that identify a client, in lower case. Only this server gets them. */
export interface Credentials {
  readonly headers: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  /** The start of the web socket subprotocol that carries a token, up to the token. */
  readonly webSocketTokenPrefix: string;
}

const NONE: ReadonlySet<string> = new Set();

/** The names in a `Connection` header. These headers belong only to this connection. */
function named(connection: string): ReadonlySet<string> {
  if (connection === 'keep-alive' || connection === 'close') return NONE;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** Headers that this server adds to a request for a backend. */
export interface ForwardedBy {
  /** The address of the client; '' if it has disconnected. */
  readonly client: string;
  /** The value of the Host header. */
  readonly authority: string;
  readonly credentials: Credentials;
  /** The use of the backend's connection. A kept connection frames bodies itself, and an upgraded one has no bodies. */
  readonly connection: 'kept' | 'closed' | 'upgraded';
  /**
   * Further headers, with names (in lower case) and values in turn. The client's headers with these names are dropped.
   */
  readonly headers: readonly string[];
}

/** Whether a name is among those of a list of names and values. */
function isNamedIn(list: readonly string[], key: string): boolean {
  for (let i = 0; i < list.length; i += 2) if (list[i] === key) return true;
  return false;
}

function isCredential({ headers, prefixes }: Credentials, key: string): boolean {
  if (headers.has(key)) return true;
  for (const prefix of prefixes) if (key.startsWith(prefix)) return true;
  return false;
}

/**
 * The headers of a client's request for the backend, with names and values in turn. Headers about the connection and
 * credentials are removed, and headers about the origin of the request are added.
 */
export function forwardedHeaders(
  { method, url = '/', headers, rawHeaders }: IncomingRequest,
  by: ForwardedBy,
): string[] {
  const { host, connection = '' } = headers;
  const dropped = connection === '' ? NONE : named(connection);
  const sent: string[] = ['host', by.authority];
  let path = '';
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const key = rawHeaders[i]!.toLowerCase();
    let value = rawHeaders[i + 1]!;
    if (HOP_BY_HOP.has(key) || dropped.has(key) || isCredential(by.credentials, key)) continue;
    if (key === 'x-forwarded-for') path = path === '' ? value : `${path}, ${value}`;
    if (REWRITTEN.has(key) || isNamedIn(by.headers, key)) continue;
    if (key === 'content-length' && by.connection !== 'closed') continue;
    if (key === 'sec-websocket-protocol') {
      value = withoutToken(value, by.credentials.webSocketTokenPrefix);
      if (value === '') continue;
    }
    sent.push(key, value);
  }
  if (by.client !== '') path = path === '' ? by.client : `${path}, ${by.client}`;
  const query = url.indexOf('?');
  sent.push('x-forwarded-proto', 'https', 'x-forwarded-uri', query < 0 ? url : url.slice(0, query));
  if (host !== undefined) sent.push('x-forwarded-host', host);
  if (path !== '') sent.push('x-forwarded-for', path);
  if (headers['te'] !== undefined && TAKES_TRAILERS.test(String(headers['te']))) sent.push('te', 'trailers');
  if (by.connection === 'upgraded') {
    sent.push('connection', 'Upgrade', 'upgrade', headers.upgrade ?? '');
    // Otherwise the HTTP layer frames a body, and the end of the body would be the first bytes of the new protocol.
    if (method !== 'GET') sent.push('content-length', '0');
  }
  if (by.connection === 'closed') {
    sent.push('connection', 'close');
    // A body of unknown length must stay framed, for any method.
    if (headers['transfer-encoding'] !== undefined) sent.push('transfer-encoding', 'chunked');
  }
  for (const text of by.headers) sent.push(text);
  return sent;
}

function withoutToken(value: string, prefix: string): string {
  const protocols = value.split(',').map((protocol) => protocol.trim());
  return protocols.filter((protocol) => !protocol.startsWith(prefix)).join(', ');
}

/** The pairs of a list of alternating names and values. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length >> 1 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!]);
}

/** One header of an answer. Its name has the spelling of its first occurrence. */
export interface ReturnedHeader {
  readonly name: string;
  /** The name in lower case. */
  readonly key: string;
  value: string | string[];
}

/**
 * The headers of a backend's answer for the client, in their order of arrival.
 *
 * @throws StatusError (503) if the body has a transfer coding
 */
export function returnedHeaders(raw: readonly string[]): ReturnedHeader[] {
  const returned: ReturnedHeader[] = [];
  let dropped = NONE;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!;
    const key = name.toLowerCase();
    const value = raw[i + 1]!;
    if (key === 'connection') {
      const about = named(value);
      dropped = dropped === NONE ? about : new Set([...dropped, ...about]);
      continue;
    }
    if (key === 'transfer-encoding' && value.toLowerCase() !== 'chunked')
      throw garbled(`unsupported transfer encoding: ${JSON.stringify(value)}`);
    if (HOP_BY_HOP.has(key) || OWN_WORDS.has(key)) continue;
    const before = returned.find((one) => one.key === key);
    if (before === undefined) returned.push({ name, key, value });
    else if (Array.isArray(before.value)) before.value.push(value);
    else before.value = [before.value, value];
  }
  return dropped.size === 0 ? returned : returned.filter(({ key }) => !dropped.has(key));
}

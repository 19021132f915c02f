import type { OutgoingHttpHeaders } from 'node:http';
import type { IncomingRequest } from '../../api/exchange.ts';
import { table } from '../../base/own-properties.ts';

/** Headers about one connection (RFC 9110, 7.6.1), or that the HTTP layer writes itself. */
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

/** Browsers are to hear this server's rules about other origins, not the backend's. */
const CROSS_ORIGIN = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

/** Headers in which a client says who it is, in lower case: they are for this server only. */
export interface Credentials {
  readonly headers: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  /** The web socket subprotocol that carries a token, up to the token. */
  readonly webSocketTokenPrefix: string;
}

const NONE: Set<string> = new Set();

/** The names in `Connection` headers, which are about this connection too. */
function named(connection = ''): Set<string> {
  return connection === '' ? NONE : new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

function* pairs(raw: readonly string[]): Generator<readonly [name: string, value: string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) yield [raw[i]!, raw[i + 1]!];
}

function collect(headers: Record<string, string[]>, name: string, value: string): void {
  (headers[name] ??= []).push(value);
}

/**
 * The headers of a client's request as a backend may see them: without those about the connection and without
 * credentials, with those that say where the request came from: `client` is the address of the other end, '' where it is gone.
 * `authority` becomes the Host.
 */
export function forwardedHeaders(
  request: IncomingRequest,
  client: string,
  authority: string,
  credentials: Credentials,
  upgrading: boolean,
): OutgoingHttpHeaders {
  const connection = named(request.headers.connection);
  const headers: Record<string, string[]> = table();
  for (const [name, value] of pairs(request.rawHeaders)) {
    const key = name.toLowerCase();
    if (HOP_BY_HOP.has(key) || connection.has(key)) continue;
    if (credentials.headers.has(key) || credentials.prefixes.some((prefix) => key.startsWith(prefix))) continue;
    if (key === 'x-forwarded-for' || key === 'x-forwarded-host' || key === 'x-forwarded-proto') continue;
    if (key === 'sec-websocket-protocol') {
      const kept = withoutToken(value, credentials.webSocketTokenPrefix);
      if (kept !== '') collect(headers, key, kept);
      continue;
    }
    collect(headers, key, value);
  }
  const before = request.headersDistinct['x-forwarded-for'] ?? [];
  const path = [...before, ...(client === '' ? [] : [client])].join(', ');
  // a body of unknown length must stay framed, whatever the method
  const chunked = request.headers['transfer-encoding'] !== undefined && !upgrading;
  return {
    ...headers,
    host: authority,
    'x-forwarded-proto': 'https',
    ...(request.headers.host === undefined ? {} : { 'x-forwarded-host': request.headers.host }),
    ...(path === '' ? {} : { 'x-forwarded-for': path }),
    ...(upgrading ? { connection: 'Upgrade', upgrade: request.headers.upgrade ?? '' } : { connection: 'close' }),
    ...(chunked ? { 'transfer-encoding': 'chunked' } : {}),
  };
}

function withoutToken(value: string, prefix: string): string {
  const protocols = value.split(',').map((protocol) => protocol.trim());
  return protocols.filter((protocol) => !protocol.startsWith(prefix)).join(', ');
}

/** The headers of a backend's answer, as they came, as the client may see them. */
export function returnedHeaders(raw: readonly string[]): Record<string, string[]> {
  const lists = [...pairs(raw)].filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const connection = named(lists.join());
  const headers: Record<string, string[]> = table();
  for (const [name, value] of pairs(raw)) {
    const key = name.toLowerCase();
    if (!HOP_BY_HOP.has(key) && !connection.has(key) && !CROSS_ORIGIN.has(key)) collect(headers, name, value);
  }
  return headers;
}

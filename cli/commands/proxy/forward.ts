import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Caller } from '#client/caller.ts';
import { ApiError, isAborted } from '#client/errors.ts';
import type { AnswerHeaders } from '#client/http/answer.ts';
import { connectionWords } from '../../framework/connection-words.ts';
import { plain } from './answers.ts';

/** The size of the largest accepted body, in bytes. It is larger than the largest body that a server accepts. */
const LARGEST_BODY = 16 << 20;

/** Headers that concern a single connection (RFC 9110, 7.6.1), and headers that the client sets itself. */
const OWN = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'content-length', 'expect'],
]);

/** The server to which requests are sent. */
export interface Target {
  readonly caller: Caller;
  readonly timeoutMs: number;
}

/**
 * Forwards a request to the server, and forwards the answer to the caller in pieces.
 * @param path the path with its query
 */
export async function forward(
  { caller, timeoutMs }: Target,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const body = await bodyOf(request);
    if (body === undefined) return plain(response, 413, 'the request is too large');
    const incoming = await caller.open({
      method: request.method ?? 'GET',
      path,
      headers: passedOn(request.headers),
      ...(body.length === 0 ? {} : { body }),
      signal: gone.signal,
      timeoutMs,
      asItIs: true,
    });
    response.writeHead(incoming.status, withoutOwn(incoming.headers));
    response.flushHeaders();
    await pipeline(Readable.from(incoming.pieces()), response);
  } catch (error) {
    if (gone.signal.aborted || response.headersSent) response.destroy();
    else plain(response, 502, `error trying to reach the server: ${wordsOf(error)}`);
  }
}

/** Forwards a connection that has changed to another protocol. */
export async function forwardUpgrade(
  { caller, timeoutMs }: Target,
  request: IncomingMessage,
  client: Duplex,
  path: string,
): Promise<void> {
  const protocol = request.headers.upgrade ?? '';
  client.on('error', () => client.destroy());
  try {
    const headers = passedOn(request.headers);
    const { socket, headers: answered } = await caller.upgrade({
      method: request.method ?? 'GET',
      path,
      headers,
      protocol,
      timeoutMs,
      asItIs: true,
    });
    client.write(head('101 Switching Protocols', { ...answered, connection: 'Upgrade', upgrade: protocol }));
    // When one direction ends, the other ends too.
    await Promise.race([pipeline(client, socket), pipeline(socket, client)]).catch(() => {});
    client.end();
    socket.destroy();
  } catch (error) {
    const refused = error instanceof ApiError ? `${error.code} Refused` : '502 Bad Gateway';
    const text = error instanceof ApiError ? JSON.stringify(error.status) : wordsOf(error);
    const type = error instanceof ApiError ? 'application/json' : 'text/plain; charset=utf-8';
    client.end(
      `${head(refused, { 'content-type': type, 'content-length': String(Buffer.byteLength(text)), connection: 'close' })}${text}`,
    );
  }
}

function head(status: string, headers: AnswerHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one) => `${name}: ${one}\r\n`),
  );
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}

function wordsOf(error: unknown): string {
  if (isAborted(error)) return 'interrupted';
  return error instanceof Error ? connectionWords(error) : String(error);
}

/** The whole body. Undefined if it is larger than a server accepts. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > LARGEST_BODY) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const own = ownIn(headers.connection);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || own.has(name) ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function withoutOwn(headers: AnswerHeaders): Record<string, string | string[]> {
  const own = ownIn(headers['connection']);
  // The length remains correct, because the body is passed on unchanged.
  own.delete('content-length');
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || own.has(name) ? [] : [[name, value]])),
  );
}

function ownIn(connection: string | string[] | undefined): Set<string> {
  return new Set([
    ...OWN,
    ...String(connection ?? '')
      .toLowerCase()
      .split(/\s*,\s*/),
  ]);
}

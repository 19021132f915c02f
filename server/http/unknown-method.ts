import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { table, tableOf } from '#base/collections/own-properties.ts';
import { trimText } from '#base/text/trim-text.ts';

/** The error of a parser about bytes that it refuses. */
interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** A request line and a header line (RFC 9112, sections 3 and 5). */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) (\S+) HTTP\/1\.[01]$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0]*)$/;

/**
 * Answers a request whose method Node.js's parser does not know, like any other request. The server authenticates the
 * client, may refuse it, and otherwise answers that the method does not exist. The connection ends with the answer.
 * Returns false if the refused bytes are not such a request, if its head is incomplete, or if only a parser could find
 * the end of its body.
 */
export function serveUnknownMethod(error: ParseError, socket: Socket, listener: RequestListener): boolean {
  const request = error.code === 'HPE_INVALID_METHOD' ? readRequest(error, socket) : undefined;
  if (request === undefined) return false;
  // The parser would refuse the following bytes a second time.
  socket.removeAllListeners('data');
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  socket.on('error', () => socket.destroy());
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  listener(request, response);
  return true;
}

function readRequest({ rawPacket, bytesParsed = 0 }: ParseError, socket: Socket): IncomingMessage | undefined {
  if (rawPacket === undefined) return undefined;
  const end = rawPacket.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = rawPacket.toString('latin1', 0, end).split('\r\n');
  const [, method, url] = REQUEST_LINE.exec(first) ?? [];
  // If another request is in the same packet, the bytes do not start with the refused request.
  if (method === undefined || url === undefined || bytesParsed > method.length) return undefined;
  const request = new IncomingMessage(socket);
  const values = table<string[]>();
  for (const line of lines) {
    const [, name, rest] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined || rest === undefined) return undefined;
    const value = trimText(rest, ' \t');
    request.rawHeaders.push(name, value);
    (values[name.toLowerCase()] ??= []).push(value);
  }
  request.headersDistinct = values;
  request.headers = tableOf(Object.entries(values).map(([name, [value = '']]) => [name, value]));
  request.method = method;
  request.url = url;
  request.httpVersion = '1.1';
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (coding !== undefined || !/^\d{1,15}$/.test(length)) return undefined;
  passBody(request, socket, { first: rawPacket.subarray(end + 4), length: Number(length) });
  return request;
}

/**
 * Passes a body of known length to a request, as fast as the request reads it. The first bytes have already arrived.
 */
function passBody(
  request: IncomingMessage,
  socket: Socket,
  body: { readonly first: Buffer; readonly length: number },
): void {
  let left = body.length;
  const take = (chunk: Buffer): void => {
    const own = chunk.subarray(0, left);
    left -= own.length;
    if (own.length > 0 && !request.push(own) && left > 0) socket.pause();
    if (left > 0) return;
    socket.off('data', take);
    request.complete = true;
    request.push(null);
  };
  request._read = () => {
    if (left > 0) socket.resume();
  };
  take(body.first);
  if (left > 0) queueMicrotask(() => socket.on('data', take));
  socket.once('close', () => {
    if (left > 0) request.destroy();
  });
}

import { type RequestListener, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { badRequest, methodNotAllowed, StatusError, unauthorized } from '#base/errors/status-error.ts';
import type { Pipeline } from './pipeline.ts';
import { serveUnknownMethod } from './unknown-method.ts';

/** How long a refused client may continue to send, in milliseconds. With this it reads the answer and not a reset. */
const LINGER = 2000;

/**
 * How many bytes a client may send after the malformed data. The server reads and drops them, so that even a client
 * with a head of some megabytes reads the answer.
 */
const DROPPED = 8 << 20;

/** The number of bytes that had arrived, for connections with malformed data. */
const unreadable = new WeakMap<Duplex, number>();

/**
 * Whether an error comes from a client certificate whose authority has the right name but another key. OpenSSL verifies
 * signatures during the handshake, and in TLS 1.2 reports the failure when the first bytes are read.
 */
function isForgedSignature(error: Error & { readonly library?: string }): boolean {
  return error.library !== undefined && error.library !== 'SSL routines';
}

function refusalOf(error: NodeJS.ErrnoException): StatusError {
  if (isForgedSignature(error)) return unauthorized();
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new StatusError(408, 'Timeout', 'the request did not arrive in time');
    case 'HPE_INVALID_METHOD':
      return methodNotAllowed();
    case 'HPE_HEADER_OVERFLOW':
      return new StatusError(431, 'RequestHeaderFieldsTooLarge', 'the request has too many or too large headers');
    default:
      return badRequest('the request is not HTTP');
  }
}

/**
 * Answers bytes that are not HTTP with a Status, if the connection can still carry one, and then ends the connection.
 * Earlier requests are answered first, so the Status does not come in the middle of another answer.
 */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: TLSSocket,
  { pipeline, listener }: { readonly pipeline: Pipeline; readonly listener: RequestListener },
): void {
  const readBefore = unreadable.get(socket);
  if (readBefore !== undefined) {
    // The later bytes are not a request either.
    if (socket.bytesRead - readBefore > DROPPED) socket.destroy();
    return;
  }
  unreadable.set(socket, socket.bytesRead);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const refuseThis = (): void => refuse(refusalOf(error), socket);
  const last = pipeline.last(socket);
  if (last === undefined) {
    if (!serveUnknownMethod(error, socket, listener)) refuseThis();
  } else if (last.req.complete || pipeline.leave(last)) pipeline.afterAll(socket, refuseThis);
  // The body of the current request ends early.
  else if (last.headersSent) socket.destroy();
  else refuseThis();
}

/** Answers without a request, and ends the connection. */
export function refuse(refusal: StatusError, socket: Duplex): void {
  const late = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(late));
  const body = JSON.stringify(refusal.status);
  socket.end(
    `HTTP/1.1 ${refusal.code} ${STATUS_CODES[refusal.code]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

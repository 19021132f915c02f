import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A received request, over any version of HTTP. It has a head, and a body as a stream. */
export interface IncomingRequest {
  readonly method?: string | undefined;
  /** The client's path and query, unchanged. */
  readonly url?: string | undefined;
  /** Headers by lower-case name, without pseudo-header fields (RFC 9113, 8.3). The authority is in `host`. */
  headers: IncomingHttpHeaders;
  readonly headersDistinct: NodeJS.Dict<string[]>;
  /** Names and values in turn, in the order of arrival. */
  rawHeaders: readonly string[];
  /** The connection, which other requests may share. Use it only to identify its client. */
  readonly socket: Socket;
  /** Whether the whole body has arrived. */
  readonly complete: boolean;
  on(event: 'data', listener: (chunk: Buffer) => void): this;
  once(event: 'end' | 'close', listener: () => void): this;
  once(event: 'error', listener: (error: Error) => void): this;
  off(event: 'data', listener: (chunk: Buffer) => void): this;
  off(event: 'end' | 'close', listener: () => void): this;
  off(event: 'error', listener: (error: Error) => void): this;
  pipe<T extends NodeJS.WritableStream>(target: T): T;
  unpipe(target: NodeJS.WritableStream): unknown;
  /** Discards the rest of the body. */
  resume(): this;
  /** Ends the stream of the request if the connection has several streams. Otherwise it ends the connection. */
  destroy(): unknown;
  /** Called with the authenticated user, if the connection needs it. */
  madeBy?(user: string): void;
}

/** The answer to a request, written piece by piece, over any version of HTTP. */
export interface OutgoingResponse {
  statusCode: number;
  readonly headersSent: boolean;
  /** Whether the client has disconnected and cannot receive the answer. */
  readonly destroyed: boolean;
  /** Whether the client has the whole answer or has disconnected. */
  readonly closed: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  /** The number of bytes that the client has not read yet. */
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  /** The connection, if no other answer uses it. Undefined after the answer was sent. */
  readonly socket?: { readonly writableLength: number; readonly bytesWritten: number } | null;
  /** The number of written body bytes, if the connection does not count them. */
  readonly bytesWritten?: number;
  /**
   * The largest number of bytes that may wait for the client of a stream before the stream pauses. Undefined on a
   * connection that only this client uses, which has the usual limit.
   */
  readonly mayWait?: number | undefined;
  setHeader(name: string, value: string | number | readonly string[]): unknown;
  removeHeader(name: string): void;
  getHeader(name: string): number | string | readonly string[] | undefined;
  hasHeader(name: string): boolean;
  writeHead(status: number, message?: string): unknown;
  flushHeaders(): void;
  /**
   * Returns the head, made by `writeHead`, of an answer that is sent in one piece. The head then counts as sent: the
   * caller writes it (as latin1) before the body, in the same buffer. Undefined if the head is sent separately. The
   * method is missing if that is always so.
   */
  takeHead?(): string | undefined;
  write(chunk: Buffer | string, done?: (error?: Error | null) => void): boolean;
  end(chunk?: Buffer | string): unknown;
  cork(): void;
  uncork(): void;
  /** Ends the stream of the answer if the connection has several streams. Otherwise it ends the connection. */
  destroy(): unknown;
  on(event: 'close' | 'drain', listener: () => void): this;
  once(event: 'close' | 'drain' | 'finish', listener: () => void): this;
  prependOnceListener(event: 'finish', listener: () => void): this;
  off(event: 'close' | 'drain' | 'finish', listener: () => void): this;
  /** The target for a piped body after the head is sent. Undefined means the response itself. */
  readonly body?: NodeJS.WritableStream;
  /** Present if the version of HTTP has trailers and this server sends them. */
  addTrailers?(headers: readonly [string, string][]): void;
}

/** The stream for the body, after the head was sent. */
export function bodyOf(response: OutgoingResponse): NodeJS.WritableStream {
  return response.body ?? (response as ServerResponse);
}

/** The two sides of a request. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly response: OutgoingResponse;
}

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request as it came, over any version of HTTP: its head, and its body as a stream. */
export interface IncomingRequest {
  readonly method?: string | undefined;
  /** Path and query as they were sent. */
  readonly url?: string | undefined;
  /** By lower-case name; without pseudo-header fields (RFC 9113, 8.3), whose authority is the `host`. */
  headers: IncomingHttpHeaders;
  readonly headersDistinct: NodeJS.Dict<string[]>;
  /** Names and values in turn, in the order in which they came. */
  rawHeaders: readonly string[];
  /** The connection, which other requests may share. Only for asking whose it is. */
  readonly socket: Socket;
  /** Whether all of the body has come. */
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
  /** Ends what carries the request: its stream, where the connection has several, else the connection. */
  destroy(): unknown;
  /** Called with the authenticated user, where the connection needs to know the user. */
  madeBy?(user: string): void;
}

/** The answer to a request, written piece by piece, over any version of HTTP. */
export interface OutgoingResponse {
  statusCode: number;
  readonly headersSent: boolean;
  /** The client is gone: the answer reaches it no more. */
  readonly destroyed: boolean;
  /** The client has the whole answer, or is gone. */
  readonly closed: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  /** What waits to be taken, in bytes. */
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  /** The connection, where this answer is the only one on it; gone when it has been sent. */
  readonly socket?: { readonly writableLength: number; readonly bytesWritten: number } | null;
  /** What of the body has been written, in bytes, where the connection does not tell. */
  readonly bytesWritten?: number;
  /**
   * The most bytes that may wait for the client of a stream before the stream pauses; undefined on a client's own
   * connection, which has the usual limit.
   */
  readonly mayWait?: number | undefined;
  setHeader(name: string, value: string | number | readonly string[]): unknown;
  removeHeader(name: string): void;
  getHeader(name: string): number | string | readonly string[] | undefined;
  hasHeader(name: string): boolean;
  writeHead(status: number, message?: string): unknown;
  flushHeaders(): void;
  write(chunk: Buffer | string, done?: (error?: Error | null) => void): boolean;
  end(chunk?: Buffer | string): unknown;
  cork(): void;
  uncork(): void;
  /** Ends what carries the answer: its stream, where the connection has several, else the connection. */
  destroy(): unknown;
  on(event: 'close' | 'drain', listener: () => void): this;
  once(event: 'close' | 'drain' | 'finish', listener: () => void): this;
  prependOnceListener(event: 'finish', listener: () => void): this;
  off(event: 'close' | 'drain' | 'finish', listener: () => void): this;
  /** Where the body can be piped to once the head is out; undefined: to the response itself. */
  readonly body?: NodeJS.WritableStream;
  /** Only where the version of HTTP has them and this server sends them. */
  addTrailers?(headers: readonly [string, string][]): void;
}

/** What the body of an answer can be piped to once its head is out. */
export function bodyOf(response: OutgoingResponse): NodeJS.WritableStream {
  return response.body ?? (response as ServerResponse);
}

/** The two sides of a request. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly response: OutgoingResponse;
}

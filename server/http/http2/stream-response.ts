import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { table } from '#base/collections/own-properties.ts';
import type { OutgoingResponse } from '../../api/exchange.ts';

/**
 * The largest number of bytes that may wait for the client of one stream before the stream pauses. The stream is one of
 * hundreds on its connection, and the client may read none of them.
 */
const MAY_WAIT = 64 * 1024;

/** Headers about a connection. HTTP/2 does not allow them (RFC 9113, 8.2.2). */
const OF_CONNECTIONS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/** Statuses without a body. */
const BODILESS = new Set([204, 205, 304]);

/** The headers of an answer after they were sent. No header can be added. */
const SENT: OutgoingHttpHeaders = Object.freeze(table<string | string[]>());

/** The answer on an HTTP/2 stream, with the interface of an HTTP/1.1 answer, without trailers. */
export class StreamResponse implements OutgoingResponse {
  statusCode = 200;
  readonly mayWait = MAY_WAIT;
  /** The number of written bytes without heads. */
  bytesWritten = 0;
  readonly #stream: ServerHttp2Stream;
  /** The headers, until they are sent. After that, node:http2 keeps them. */
  #headers: OutgoingHttpHeaders = table<string | string[]>();
  readonly #isHead: boolean;
  readonly #lastOfConnection: () => void;
  #headersSent = false;
  #bodiless = false;

  /** `lastOfConnection` is called for an answer that asks its client to use another connection. */
  constructor(stream: ServerHttp2Stream, isHead: boolean, lastOfConnection: () => void) {
    this.#stream = stream;
    this.#isHead = isHead;
    this.#lastOfConnection = lastOfConnection;
  }

  get headersSent(): boolean {
    return this.#headersSent;
  }

  get destroyed(): boolean {
    // A stream that has ended normally is destroyed too, while its client is still connected.
    return this.#stream.destroyed || this.#stream.closed;
  }

  get closed(): boolean {
    return this.#stream.closed;
  }

  get writableEnded(): boolean {
    return this.#stream.writableEnded;
  }

  get writableFinished(): boolean {
    return this.#stream.writableFinished;
  }

  get writableLength(): number {
    return this.#stream.writableLength;
  }

  get writableNeedDrain(): boolean {
    return this.#stream.writableNeedDrain;
  }

  setHeader(name: string, value: string | number | readonly string[]): this {
    const lower = name.toLowerCase();
    if (!OF_CONNECTIONS.has(lower)) {
      if (!this.#headersSent) this.#headers[lower] = value as string | string[];
    } else if (lower === 'connection' && value === 'close') this.#lastOfConnection();
    return this;
  }

  getHeader(name: string): number | string | readonly string[] | undefined {
    return this.#headers[name.toLowerCase()];
  }

  removeHeader(name: string): void {
    if (!this.#headersSent) delete this.#headers[name.toLowerCase()];
  }

  hasHeader(name: string): boolean {
    return this.#headers[name.toLowerCase()] !== undefined;
  }

  writeHead(status: number): this {
    this.statusCode = status;
    this.#bodiless = this.#isHead || BODILESS.has(status);
    // The head goes out with the first piece of the body, or with the mark that there is no body.
    return this;
  }

  flushHeaders(): void {
    this.#respond(false);
  }

  write(chunk: Buffer | string, done?: (error?: Error | null) => void): boolean {
    this.#respond(false);
    if (this.destroyed || this.#bodiless) {
      done?.(this.destroyed ? new Error('the client is gone') : undefined);
      return true;
    }
    this.bytesWritten += chunk.length;
    return this.#stream.write(chunk, done);
  }

  end(chunk?: Buffer | string): this {
    const hasBody = chunk !== undefined && chunk.length > 0 && !this.#isHead && !BODILESS.has(this.statusCode);
    this.#respond(!hasBody);
    if (this.destroyed || this.#stream.writableEnded) return this;
    if (hasBody) {
      this.bytesWritten += chunk.length;
      this.#stream.end(chunk);
    } else this.#stream.end();
    return this;
  }

  cork(): void {
    this.#stream.cork();
  }

  uncork(): void {
    this.#stream.uncork();
  }

  destroy(): this {
    this.#stream.close(this.#headersSent ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_INTERNAL_ERROR);
    // If the client reads nothing at all, the reset does not arrive, and the stream would stay open.
    setImmediate(() => this.#stream.destroy());
    return this;
  }

  on(event: 'close' | 'drain', listener: () => void): this {
    this.#stream.on(event as 'close', listener);
    return this;
  }

  once(event: 'close' | 'drain' | 'finish', listener: () => void): this {
    this.#stream.once(event as 'close', listener);
    return this;
  }

  prependOnceListener(event: 'finish', listener: () => void): this {
    this.#stream.prependOnceListener(event, listener);
    return this;
  }

  off(event: 'close' | 'drain' | 'finish', listener: () => void): this {
    this.#stream.off(event, listener);
    return this;
  }

  /** The stream for a body. The head must have been sent. */
  get body(): NodeJS.WritableStream {
    return this.#stream;
  }

  #respond(endStream: boolean): void {
    if (this.#headersSent || this.#stream.destroyed || this.#stream.closed) return;
    this.#headersSent = true;
    this.#headers[':status'] = this.statusCode;
    this.#stream.respond(this.#headers, { endStream: endStream || this.#bodiless });
    this.#headers = SENT;
  }
}

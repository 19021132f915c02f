import type { IncomingHttpHeaders } from 'node:http';
import type { IncomingHttpHeaders as Http2Headers, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { table } from '#base/collections/own-properties.ts';
import type { IncomingRequest } from '../../api/exchange.ts';

/** The request of an HTTP/2 stream, with the interface of an HTTP/1.1 request. */
export class StreamRequest implements IncomingRequest {
  readonly method: string;
  readonly url: string;
  headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly #stream: ServerHttp2Stream;
  #raw: readonly string[];
  readonly #bodiless: boolean;
  readonly #madeBy: (user: string) => void;
  readonly #cutOff: () => void;
  #distinct: NodeJS.Dict<string[]> | undefined = undefined;

  /**
   * `raw` has names and values in turn, in their order of arrival. `madeBy` is called with the authenticated user.
   * `cutOff` is called when the server ends the stream while more of its body may arrive.
   */
  constructor(
    stream: ServerHttp2Stream,
    socket: Socket,
    { headers, raw, bodiless }: { headers: Http2Headers; raw: readonly string[]; bodiless: boolean },
    { madeBy, cutOff }: { readonly madeBy: (user: string) => void; readonly cutOff: () => void },
  ) {
    this.#madeBy = madeBy;
    this.#cutOff = cutOff;
    this.method = headers[':method'] ?? 'GET';
    this.url = headers[':path'] ?? '/';
    this.socket = socket;
    this.#stream = stream;
    this.#raw = raw;
    this.#bodiless = bodiless;
    const authority = headers[':authority'];
    if (authority !== undefined) headers.host = authority;
    // a body of unknown length
    if (!bodiless && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
    this.headers = headers;
  }

  get rawHeaders(): readonly string[] {
    const raw: string[] = [];
    for (let i = 0; i + 1 < this.#raw.length; i += 2)
      if (!this.#raw[i]!.startsWith(':')) raw.push(this.#raw[i]!, this.#raw[i + 1]!);
    return raw;
  }

  set rawHeaders(raw: readonly string[]) {
    this.#raw = raw;
    this.#distinct = undefined;
  }

  get headersDistinct(): NodeJS.Dict<string[]> {
    if (this.#distinct !== undefined) return this.#distinct;
    const values = table<string[]>();
    const raw = this.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) (values[raw[i]!] ??= []).push(raw[i + 1]!);
    this.#distinct = values;
    return values;
  }

  get complete(): boolean {
    return this.#bodiless || this.#stream.readableEnded;
  }

  on(event: 'data', listener: (chunk: Buffer) => void): this {
    this.#stream.on(event, listener);
    return this;
  }

  once(event: string, listener: (error: Error) => void): this {
    this.#stream.once(event, listener);
    return this;
  }

  off(event: string, listener: ((chunk: Buffer) => void) | ((error: Error) => void)): this {
    this.#stream.off(event, listener);
    return this;
  }

  pipe<T extends NodeJS.WritableStream>(target: T): T {
    return this.#stream.pipe(target);
  }

  unpipe(target: NodeJS.WritableStream): this {
    this.#stream.unpipe(target);
    return this;
  }

  resume(): this {
    this.#stream.resume();
    return this;
  }

  madeBy(user: string): void {
    this.#madeBy(user);
  }

  /** If the answer is already sent, this only asks the client to send no more (RFC 9113, 8.1). */
  destroy(): this {
    if (!this.complete && !this.#stream.closed) this.#cutOff();
    this.#stream.close(this.#stream.writableFinished ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL);
    return this;
  }
}

import { EventEmitter } from 'node:events';
import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import https from 'node:https';
import { PassThrough } from 'node:stream';

// A module that is loaded before a program (`node --import`). It sends the program's https requests over HTTP/2, on one
// connection for each agent, if the server supports it. A client that knows only HTTP/1.1 thus shows whether answers
// over HTTP/2 are the same. `SPEAK_HTTP2` is the end of the program's file name. Other programs are not changed.

/** The methods that a program calls on a request. */
class Request extends EventEmitter {
  readonly #body = new PassThrough();
  #stream: ClientHttp2Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(session: ClientHttp2Session, { method = 'GET', path = '/', headers = {} }: https.RequestOptions) {
    super();
    // HTTP/1.1 ignores space around values, and HTTP/2 forbids it (RFC 9113, 8.2.1).
    const trimmed = (value: string | number | readonly string[]): string | string[] =>
      typeof value === 'object' ? value.map((one) => one.trim()) : String(value).trim();
    const fields = Object.entries(headers as Record<string, string | number | readonly string[]>)
      .map(([name, value]) => [name.toLowerCase(), trimmed(value)] as const)
      // HTTP/2 does not allow the header fields that describe the connection (RFC 9113, 8.2.2).
      .filter(([name]) => !['connection', 'host', 'transfer-encoding', 'upgrade'].includes(name));
    session.on('error', this.#failed);
    const begin = () => {
      if (this.#ended) return;
      const bodiless = this.#body.writableEnded && this.#body.readableLength === 0;
      const head = { ...Object.fromEntries(fields), ':method': method ?? 'GET', ':path': path ?? '/' };
      const stream = session.request(head, { endStream: bodiless });
      this.#stream = stream;
      if (!bodiless) this.#body.pipe(stream);
      stream.on('error', this.#failed);
      stream.once('response', (headers, _flags, raw) =>
        this.emit('response', answer(stream, headers, raw as unknown as readonly string[])),
      );
      stream.once('close', () => {
        clearTimeout(this.#timer);
        session.off('error', this.#failed);
      });
    };
    // This runs after the program has set the headers and the body.
    setImmediate(begin);
  }

  setTimeout(milliseconds: number, late?: () => void): this {
    if (late !== undefined) this.once('timeout', late);
    this.#timer = setTimeout(() => this.emit('timeout'), milliseconds);
    return this;
  }

  write(chunk: Buffer | string): boolean {
    return this.#body.write(chunk);
  }

  end(chunk?: Buffer | string): this {
    this.#body.end(chunk);
    return this;
  }

  destroy(error?: Error): this {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#stream?.close(http2.constants.NGHTTP2_CANCEL);
    if (error !== undefined) this.#failed(error);
    return this;
  }

  readonly #failed = (error: Error): void => {
    if (this.listenerCount('error') > 0) this.emit('error', error);
  };
}

/** An answer in the form that a client of HTTP/1.1 gets. In `raw`, names and values alternate. */
function answer(
  stream: ClientHttp2Stream,
  headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader,
  raw: readonly string[],
): ClientHttp2Stream {
  const isField = (name: string) => !name.startsWith(':');
  return Object.assign(stream, {
    statusCode: headers[':status'],
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isField(name))),
    rawHeaders: raw.filter((_, i) => isField(raw[i - (i % 2)] ?? '')),
  });
}

const sessions = new WeakMap<https.Agent, ClientHttp2Session>();

/** The connection of an agent. If the earlier one has ended, a new one is opened. */
function sessionOf({ host, port, agent }: https.RequestOptions): ClientHttp2Session {
  const own = agent as https.Agent;
  const known = sessions.get(own);
  if (known !== undefined && !known.closed && !known.destroyed) return known;
  const { ca, cert, key, servername } = own.options;
  const session = http2.connect(`https://${host}:${port}`, {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(servername && { servername }),
  });
  session.on('error', () => {}).setMaxListeners(0);
  // The connection must not keep a program running that has nothing more to do.
  session.unref();
  sessions.set(own, session);
  return session;
}

const program = process.env['SPEAK_HTTP2'];
if (program !== undefined && process.argv[1]?.endsWith(program) === true) {
  const before = https.request;
  https.request = ((options: https.RequestOptions, listener?: (response: unknown) => void) => {
    if (!(options.agent instanceof https.Agent)) return before(options, listener as never);
    const request = new Request(sessionOf(options), options);
    if (listener !== undefined) request.once('response', listener);
    return request;
  }) as unknown as typeof https.request;
}

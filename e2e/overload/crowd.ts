import { once } from 'node:events';
import http2, { type ClientHttp2Session } from 'node:http2';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { frame, get, preface } from '#server/testing/http2-frames.ts';

export type Version = 'HTTP/1.1' | 'HTTP/2';
export const VERSIONS: readonly Version[] = ['HTTP/1.1', 'HTTP/2'];

export interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

/** The number of streams that clients use on one connection. */
const STREAMS = 100;

/** The largest size of a window (RFC 9113, 6.9.1). */
const WIDE = 2 ** 31 - 1;

/** Many clients of one user. They use both versions of HTTP. */
export class Crowd {
  /** Requests that got no certain answer in time. */
  uncertain = 0;
  readonly #port: number;
  readonly #ca: string;
  readonly #token: string;
  readonly #agent: https.Agent;
  readonly #sessions: ClientHttp2Session[] = [];
  readonly #open: { destroy(): void }[] = [];
  #next = 0;

  constructor(port: number, ca: string, token: string) {
    this.#port = port;
    this.#ca = ca;
    this.#token = token;
    this.#agent = new https.Agent({ keepAlive: true, ca, maxSockets: 400 });
  }

  leave(): void {
    this.#agent.destroy();
    for (const one of [...this.#sessions, ...this.#open]) one.destroy();
  }

  /** Sends one request. Rejects if its connection fails. */
  send(version: Version, method: string, path: string, body?: string): Promise<Reply> {
    return version === 'HTTP/1.1' ? this.#send1(method, path, body) : this.#send2(method, path, body);
  }

  /**
   * Sends a request as usual clients do. After a 429, it sends the request again at the time that the answer names.
   * After an answer with an unknown outcome (503, 504), it tries again. Resolves to the answer and the number of
   * refusals.
   */
  async persist(version: Version, method: string, path: string, body?: string): Promise<Reply & { refusals: number }> {
    for (let refusals = 0; ; refusals++) {
      const reply = await this.send(version, method, path, body);
      if (reply.status === 503 || reply.status === 504) this.uncertain++;
      else if (reply.status !== 429) return { ...reply, refusals };
      else if (reply.retryAfter !== '1') throw new Error(`429 with Retry-After ${reply.retryAfter}`);
      await sleep(1000 + Math.random() * 500);
    }
  }

  /** Opens a watch, and tries again after a refusal. It calls `onLine` with every event, unchanged. */
  async watch(version: Version, path: string, onLine: (line: string) => void): Promise<void> {
    for (;;) {
      const [status, stream] = await (version === 'HTTP/1.1' ? this.#watch1(path) : this.#watch2(path));
      let rest = '';
      stream.on('error', () => {});
      if (status === 200) {
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop()!;
          lines.forEach(onLine);
        });
        return;
      }
      stream.resume();
      if (status !== 429) throw new Error(`a watch got ${status}`);
      await sleep(200);
    }
  }

  /** Opens a connection for each path and sends a request whose answer the client never reads. */
  async deaf1(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const socket = await this.connect('http/1.1');
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${this.#token}\r\n\r\n`);
    }
  }

  /**
   * Sends requests on connections of 100 streams and never reads the answers. With `usual` windows the answers stay at
   * the server. With `wide` windows they are sent until the system's buffers are full.
   */
  async deaf2(paths: readonly string[], windows: 'usual' | 'wide'): Promise<void> {
    for (let first = 0; first < paths.length; first += STREAMS) {
      const socket = await this.connect('h2');
      socket.pause();
      const opened = Buffer.alloc(4);
      opened.writeUInt32BE(WIDE - 65_535);
      socket.write(windows === 'wide' ? Buffer.concat([preface([[4, WIDE]]), frame(8, 0, 0, opened)]) : preface());
      for (const [i, path] of paths.slice(first, first + STREAMS).entries())
        socket.write(get(2 * i + 1, path, this.#token));
    }
  }

  /** Sends a POST whose body arrives byte by byte and never ends. Resolves to the status of the answer. */
  async drip(version: Version, path: string): Promise<number> {
    const headers = { 'content-type': 'application/json', 'content-length': 10_000 };
    const request =
      version === 'HTTP/1.1'
        ? https.request({ ...this.#place(path), method: 'POST', headers: { ...this.#bearer(), ...headers } })
        : (await this.#session()).request({ ...this.#bearer(), ...headers, ':method': 'POST', ':path': path });
    const dripping = setInterval(() => request.write(' '), 200);
    try {
      const [answer] = await once(request, 'response');
      return answer[':status'] ?? answer.statusCode;
    } finally {
      clearInterval(dripping);
      request.on('error', () => {}).destroy();
    }
  }

  /** A connection for data that is not a request. */
  async connect(protocol: 'http/1.1' | 'h2'): Promise<TLSSocket> {
    const socket = connectTls({ host: '127.0.0.1', port: this.#port, ca: this.#ca, ALPNProtocols: [protocol] });
    socket.on('error', () => {});
    this.#open.push(socket);
    await once(socket, 'secureConnect');
    return socket;
  }

  #bearer(): { authorization: string } {
    return { authorization: `Bearer ${this.#token}` };
  }

  #place(path: string): https.RequestOptions {
    return { host: '127.0.0.1', port: this.#port, path, agent: false, ca: this.#ca };
  }

  async #send1(method: string, path: string, body: string | undefined): Promise<Reply> {
    const headers = { ...this.#bearer(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const request = https.request({ ...this.#place(path), method, agent: this.#agent, headers });
    request.end(body);
    const [response] = await once(request, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode, retryAfter: response.headers['retry-after'], body: Buffer.concat(chunks) };
  }

  async #send2(method: string, path: string, body: string | undefined): Promise<Reply> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const stream = (await this.#session()).request({ ...this.#bearer(), ...type, ':method': method, ':path': path });
    stream.end(body);
    const [headers] = await once(stream, 'response');
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A refusal may arrive before the client has sent the whole body. The server then resets the stream, without an
    // error (RFC 9113, 8.1).
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject).once('close', () => {
        if (stream.rstCode === http2.constants.NGHTTP2_NO_ERROR) resolve();
        else reject(new Error(`the stream was reset: ${stream.rstCode}`));
      });
    });
    return { status: headers[':status'], retryAfter: headers['retry-after'], body: Buffer.concat(chunks) };
  }

  async #watch1(path: string) {
    const request = https.get({ ...this.#place(path), headers: this.#bearer() }).on('error', () => {});
    const [response] = await once(request, 'response');
    this.#open.push(response.socket);
    return [response.statusCode as number, response as NodeJS.ReadStream] as const;
  }

  async #watch2(path: string) {
    const stream = (await this.#session()).request({ ...this.#bearer(), ':path': path });
    const [headers] = await once(stream, 'response');
    return [headers[':status'] as number, stream] as const;
  }

  /** The connection for the next stream. Clients of this kind open the same number of connections. */
  async #session(): Promise<ClientHttp2Session> {
    const index = Math.floor(this.#next++ / STREAMS) % 8;
    const known = this.#sessions[index];
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = http2.connect(`https://localhost:${this.#port}`, {
      ca: this.#ca,
      lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    session.on('error', () => {}).setMaxListeners(0);
    this.#sessions[index] = session;
    return session;
  }
}

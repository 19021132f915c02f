import { once } from 'node:events';
import {
  constants,
  createServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';

export type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, server: FakeGrpcServer) => void;

/** An HTTP/2 server on loopback. A test decides what it does with calls. */
export class FakeGrpcServer {
  /** The behaviour for each call, which can be changed. */
  handler: Handler;
  readonly sessions = new Set<ServerHttp2Session>();
  readonly #settings: Settings;
  readonly #sockets = new WeakMap<Http2Session, Socket>();
  #server: Http2Server | undefined;
  #port = 0;

  private constructor(handler: Handler, settings: Settings) {
    this.handler = handler;
    this.#settings = settings;
  }

  static async start(handler: Handler, settings: Settings = {}): Promise<FakeGrpcServer> {
    const fake = new FakeGrpcServer(handler, settings);
    await fake.listen();
    return fake;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Accepts connections; after `stop` at the same address as before. */
  async listen(): Promise<void> {
    const server = createServer({ settings: this.#settings });
    let latest: Socket;
    server.prependListener('connection', (socket: Socket) => {
      latest = socket;
    });
    server.on('session', (session) => {
      this.#sockets.set(session, latest);
      this.sessions.add(session);
      session.on('error', () => {});
      session.on('close', () => this.sessions.delete(session));
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      this.handler(stream, headers, this);
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Sends a GOAWAY that names this stream as the last one processed, and does nothing else. */
  sayGoodbye(session: Http2Session, code: number, lastStream: number): void {
    const frame = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    frame.writeUInt32BE(lastStream, 9);
    frame.writeUInt32BE(code, 13);
    this.#sockets.get(session)?.write(frame);
  }

  /** Ends all connections and accepts no new ones. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) {
      const closed = once(server, 'close');
      server.close();
      for (const session of this.sessions) session.destroy();
      await closed;
    }
  }
}

/** A message as gRPC sends it. */
export function framed(message: string | Buffer): Buffer {
  const bytes = Buffer.from(message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export const responseHead = { ':status': 200, 'content-type': 'application/grpc' };

/** Sends the pieces of a body, one after the other, and then the trailers. */
export async function answer(
  stream: ServerHttp2Stream,
  pieces: readonly Buffer[],
  trailers: Record<string, string> = { 'grpc-status': '0' },
): Promise<void> {
  stream.respond(responseHead, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  for (const piece of pieces) await new Promise((resolve) => stream.write(piece, resolve));
  stream.end();
}

/** Ends a call with a reset. */
export function reset(stream: ServerHttp2Stream, code: keyof typeof constants): void {
  stream.close(constants[code] as number);
}

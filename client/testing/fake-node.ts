import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Duplex, PassThrough, type Readable, type Writable } from 'node:stream';
import type { Naming } from '#base/naming/naming.ts';
import { channelProtocols, portForwardProtocol, tunnelProtocol } from '../streams/protocols.ts';
import { SpdySession, type SpdyStream } from '../streams/spdy.ts';
import { WebSocketTunnel } from '../streams/tunnel.ts';
import { acceptOf, WebSocketConnection } from '../streams/web-socket.ts';

export interface FakeNodeOptions {
  readonly naming: Naming;
  readonly cert: string;
  readonly key: string;
  /** Whether it speaks web sockets, as an API server with a translator does, or SPDY only, as agents do. */
  readonly webSockets: boolean;
}

/** A process as the node runs it: its streams, and what ends it. */
interface Process {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  kill(): void;
}

/**
 * The agent of a node for tests, without containers. A command runs as a process of this machine, with the container's
 * name in `CONTAINER`. An attached process repeats its input. Ports are those of 127.0.0.1, and a log has three lines.
 * It speaks both protocols that API servers pass on.
 */
export class FakeNode {
  /** The received requests: `GET /containerLogs/…`. */
  readonly asked: string[] = [];
  /** Sizes that terminals were given, as they were sent. */
  readonly sizes: string[] = [];
  /** Bytes of output that were taken from processes. */
  taken = 0;
  readonly #server: https.Server;
  readonly #options: FakeNodeOptions;
  readonly #sockets = new Set<Socket>();

  private constructor(options: FakeNodeOptions) {
    this.#options = options;
    this.#server = https.createServer({ cert: options.cert, key: options.key });
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('request', (request, response) => this.#answer(request, response));
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      socket.on('error', () => {});
      void this.#upgrade(request, socket).catch(() => socket.destroy());
    });
  }

  static async start(options: FakeNodeOptions): Promise<FakeNode> {
    const node = new FakeNode(options);
    node.#server.listen(0, '127.0.0.1');
    await once(node.#server, 'listening');
    return node;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.disconnect();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push(`${request.method} ${request.url}`);
    const url = new URL(request.url ?? '/', 'https://node');
    const [, word, , pod = '', container = ''] = url.pathname.split('/');
    if (word === 'containerLogs') {
      writeLog(response, pod, container, url.searchParams);
      return;
    }
    response.writeHead(400).end('you must specify a protocol to upgrade to\n');
  }

  async #upgrade(request: IncomingMessage, socket: Duplex): Promise<void> {
    this.asked.push(`${request.method} ${request.url} ${request.headers.upgrade}`);
    const url = new URL(request.url ?? '/', 'https://node');
    const [, word = '', , , container = ''] = url.pathname.split('/');
    const { naming, webSockets } = this.#options;
    const isSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    const offered = String(
      request.headers[isSocket ? 'sec-websocket-protocol' : 'x-stream-protocol-version'] ?? '',
    ).split(/\s*,\s*/);
    const known =
      word === 'portForward'
        ? [isSocket ? tunnelProtocol(naming) : portForwardProtocol(naming)]
        : channelProtocols(naming, isSocket ? [5] : [4, 3, 2, 1]);
    const protocol = known.find((one) => offered.includes(one));
    if ((isSocket && !webSockets) || protocol === undefined) {
      const text = 'unable to upgrade: no protocol in common';
      socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`);
      return;
    }
    const headers = isSocket
      ? `Upgrade: websocket\r\nSec-WebSocket-Accept: ${acceptOf(request.headers['sec-websocket-key']!)}\r\nSec-WebSocket-Protocol: ${protocol}`
      : `Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${headers}\r\n\r\n`);
    if (word === 'portForward') {
      const under = isSocket ? new WebSocketTunnel(new WebSocketConnection(socket, false)) : socket;
      forwardPorts(under);
      return;
    }
    const query = url.searchParams;
    const process = () => (word === 'exec' ? execute(query.getAll('command'), container) : repeat(container));
    if (isSocket) await this.#overWebSocket(new WebSocketConnection(socket, false), query, process());
    else this.#overSpdy(socket, query, process);
  }

  async #overWebSocket(connection: WebSocketConnection, query: URLSearchParams, process: Process): Promise<void> {
    const send = async (channel: number, stream: Readable) => {
      for await (const data of stream as AsyncIterable<Buffer>) {
        this.taken += data.length;
        await connection.send(Buffer.concat([Buffer.from([channel]), data]));
      }
    };
    const outputs = [
      ...(query.has('output') ? [send(1, process.stdout)] : [process.stdout.resume()]),
      ...(query.has('error') ? [send(2, process.stderr)] : [process.stderr.resume()]),
    ];
    const read = async () => {
      for await (const message of connection.messages()) {
        if (message[0] === 0) process.stdin.write(message.subarray(1));
        if (message[0] === 255 && message[1] === 0) process.stdin.end();
        if (message[0] === 4) this.sizes.push(message.subarray(1).toString());
      }
    };
    void read()
      .catch(() => {})
      .then(() => process.kill());
    const code = await process.ended;
    await Promise.all(outputs);
    await connection.send(Buffer.concat([Buffer.from([3]), Buffer.from(statusOf(code))]));
    await connection.close();
  }

  /** The process starts when all its streams exist: clients read nothing earlier. */
  #overSpdy(socket: Duplex, query: URLSearchParams, start: () => Process): void {
    const wanted = 1 + ['input', 'output', 'error'].filter((name) => query.has(name)).length;
    const streams = new Map<string, SpdyStream>();
    let process: Process | undefined;
    const session = new SpdySession(socket, 'server', (stream) => {
      const type = stream.headers['streamtype'] ?? '';
      stream.on('error', () => {});
      if (type === 'resize') {
        stream.on('data', (data: Buffer) => this.sizes.push(data.toString().trim()));
        return;
      }
      streams.set(type, stream);
      if (streams.size === wanted) void run();
    });
    void session.closed.then(() => process?.kill());
    const run = async () => {
      process = start();
      streams.get('stdin')?.pipe(process.stdin);
      const passed = (['stdout', 'stderr'] as const).map((name) => {
        const stream = streams.get(name);
        if (stream === undefined) return process![name].resume();
        process![name].on('data', (data: Buffer) => (this.taken += data.length));
        process![name].pipe(stream);
        return once(stream, 'finish');
      });
      const code = await process.ended;
      await Promise.all(passed);
      const errors = streams.get('error')!;
      errors.end(statusOf(code));
      await once(errors, 'finish');
      // Clients end the connection when they have read everything.
      const late = setTimeout(() => session.destroy(), CLIENT_PATIENCE_MS);
      await session.closed;
      clearTimeout(late);
      session.destroy();
    };
  }
}

/** How a process ended, as agents tell. */
function statusOf(code: number): string {
  if (code === 0) return JSON.stringify({ metadata: {}, status: 'Success' });
  if (code < 0)
    return JSON.stringify({
      metadata: {},
      status: 'Failure',
      reason: 'InternalError',
      message: 'error executing command in container: no such file or directory',
      code: 500,
    });
  const message = `command terminated with non-zero exit code: exit status ${code}`;
  const details = { causes: [{ reason: 'ExitCode', message: String(code) }] };
  return JSON.stringify({ metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', message, details });
}

function execute([program = '', ...args]: readonly string[], container: string): Process {
  const child = spawn(program, args, { env: { ...process.env, CONTAINER: container } });
  child.stdin.on('error', () => {});
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', (code) => resolve(code ?? 137));
  });
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, ended, kill: () => child.kill('SIGKILL') };
}

/** A process that prints its place, repeats its input and ends with it; the input `exit N` ends it with N. */
function repeat(container: string): Process {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let end: (code: number) => void = () => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const finish = (code: number) => {
    stdout.end();
    stderr.end();
    end(code);
  };
  stdout.write(`attached to ${container}\n`);
  stdin.on('data', (data: Buffer) => {
    const exit = /^exit (\d+)/.exec(data.toString());
    if (exit === null) stdout.write(data);
    else finish(Number(exit[1]));
  });
  stdin.on('end', () => finish(0));
  return { stdin, stdout, stderr, ended, kill: () => finish(137) };
}

const CLIENT_PATIENCE_MS = 2000;

const LINES = ['one', 'two', 'three'];

function writeLog(response: ServerResponse, pod: string, container: string, query: URLSearchParams): void {
  if (query.has('previous')) {
    response.writeHead(400).end(`previous terminated container "${container}" in pod "${pod}" not found`);
    return;
  }
  const lines = LINES.map((word, at) => {
    const time = query.has('timestamps') ? `2026-01-01T00:00:0${at}.000000000Z ` : '';
    return `${time}${word} of ${container} in ${pod}\n`;
  });
  const tail = query.get('tailLines');
  const shown = tail === null ? lines : lines.slice(lines.length - Math.min(Number(tail), lines.length));
  const most = query.get('limitBytes');
  const text = shown.join('');
  response.write(most === null ? text : text.slice(0, Number(most)));
  if (query.has('follow')) setTimeout(() => response.end(`last of ${container}\n`), 50);
  else response.end();
}

/** Joins pairs of streams with ports of this machine. */
function forwardPorts(under: Duplex): void {
  const errors = new Map<string, SpdyStream>();
  const session = new SpdySession(under, 'server', (stream) => {
    const { streamtype, port = '', requestid = '' } = stream.headers;
    stream.on('error', () => {});
    if (streamtype === 'error') {
      errors.set(requestid, stream);
      return;
    }
    const complain = errors.get(requestid);
    errors.delete(requestid);
    const target = connect(Number(port), '127.0.0.1');
    target.once('connect', () => {
      stream.pipe(target).pipe(stream);
    });
    target.on('error', (error) => {
      complain?.write(`error forwarding port ${port}: ${error.message}`);
      stream.destroy();
    });
    target.once('close', () => complain?.end());
    stream.once('close', () => target.destroy());
  });
  void session.closed.then(() => under.destroy());
}

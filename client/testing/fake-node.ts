import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import type { Naming } from '#base/naming/naming.ts';
import {
  agreeOnProtocol,
  overSpdy,
  overWebSocket,
  type ServedProcess,
  switchProtocols,
} from '../streams/serve-process.ts';
import { SpdySession, type SpdyStream } from '../streams/spdy.ts';
import { WebSocketTunnel } from '../streams/tunnel.ts';
import { WebSocketConnection } from '../streams/web-socket.ts';

export interface FakeNodeOptions {
  readonly naming: Naming;
  readonly cert: string;
  readonly key: string;
  /**
   * Whether it supports web sockets, like an API server that translates them. If not, it supports only SPDY, like node
   * agents.
   */
  readonly webSockets: boolean;
}

/**
 * The agent of a node for tests, without containers. A command runs as a process of this machine, with the container's
 * name in `CONTAINER`. An attached process repeats its input. Ports are those of 127.0.0.1. A log has three lines. The
 * agent supports both protocols that API servers forward.
 */
export class FakeNode {
  /** The received requests: `GET /containerLogs/…`. */
  readonly asked: string[] = [];
  /** The sizes of terminals, in the text that the client sends. */
  readonly sizes: string[] = [];
  /** How many bytes of output the node has read from processes. */
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
    const what = word === 'portForward' ? 'ports' : 'process';
    const protocol = agreeOnProtocol(request, what, naming, { socket: webSockets ? [5] : [], spdy: [4, 3, 2, 1] });
    if (protocol === undefined || (protocol.isSocket && !webSockets)) {
      const text = 'unable to upgrade: no protocol in common';
      socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`);
      return;
    }
    const { isSocket } = protocol;
    switchProtocols(request, socket, protocol);
    if (word === 'portForward') {
      const under = isSocket ? new WebSocketTunnel(new WebSocketConnection(socket, false)) : socket;
      forwardPorts(under);
      return;
    }
    const query = url.searchParams;
    const process = () => (word === 'exec' ? execute(query.getAll('command'), container) : repeat(container));
    const noticed = {
      output: (bytes: number) => (this.taken += bytes),
      size: (text: string) => this.sizes.push(text),
    };
    if (isSocket) await overWebSocket(new WebSocketConnection(socket, false), query, process(), noticed);
    else overSpdy(socket, query, process, noticed);
  }
}

function execute([program = '', ...args]: readonly string[], container: string): ServedProcess {
  const child = spawn(program, args, { env: { ...process.env, CONTAINER: container } });
  child.stdin.on('error', () => {});
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', (code) => resolve(code ?? 137));
  });
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, ended, end: () => child.kill('SIGKILL') };
}

/**
 * A process that prints its place and repeats its input until the input ends. The input `exit N` ends the process with
 * the code N.
 */
function repeat(container: string): ServedProcess {
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
  return { stdin, stdout, stderr, ended, end: finish };
}

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

/** Connects pairs of streams with ports of this machine. */
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

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Naming } from '#base/naming/naming.ts';
import { acceptOf } from '#program/connection/web-socket-frame.ts';
import { channelProtocols, portForwardProtocol, tunnelProtocol } from './protocols.ts';
import { SpdySession, type SpdyStream } from './spdy.ts';
import type { WebSocketConnection } from './web-socket.ts';

/** A process in a container, as a node agent sees it: its streams, and a function that ends it. */
export interface ServedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves to the exit code; below 0 if the process did not start. */
  readonly ended: Promise<number>;
  /** Ends the process with an exit code. */
  end(code: number): void;
}

/** Called for events of the streams of a process. */
export interface Noticed {
  /** Called with the number of bytes in a piece of output. */
  readonly output?: (bytes: number) => void;
  /** Called with a size of the terminal, in the text that the client sends. */
  readonly size?: (text: string) => void;
}

/** A protocol that both sides of an upgrade support. */
export interface AgreedProtocol {
  readonly name: string;
  readonly isSocket: boolean;
}

/** How long a client may keep a connection open after it has received everything. */
const CLIENT_PATIENCE_MS = 2000;
/** The exit code of a process whose client has left. */
const KILLED = 137;

/**
 * Finds the protocol of an upgrade to the streams of a process or to ports; undefined if the client offers no protocol
 * that this side supports.
 *
 * @param versions the supported versions of the streams of a process, over web sockets and over SPDY
 * @example
 * const headers = { 'x-stream-protocol-version': 'v3.channel.orch.io,v4.channel.orch.io' };
 * const versions = { socket: [5], spdy: [4] };
 * agreeOnProtocol({ headers }, 'process', naming, versions) // { name: 'v4.channel.orch.io', isSocket: false }
 */
export function agreeOnProtocol(
  { headers }: Pick<IncomingMessage, 'headers'>,
  what: 'process' | 'ports',
  naming: Naming,
  versions: { readonly socket: readonly number[]; readonly spdy: readonly number[] },
): AgreedProtocol | undefined {
  const isSocket = headers.upgrade?.toLowerCase() === 'websocket';
  const offer = headers[isSocket ? 'sec-websocket-protocol' : 'x-stream-protocol-version'];
  const offered = String(offer ?? '').split(/\s*,\s*/);
  const known =
    what === 'ports'
      ? [isSocket ? tunnelProtocol(naming) : portForwardProtocol(naming)]
      : channelProtocols(naming, isSocket ? versions.socket : versions.spdy);
  const name = known.find((one) => offered.includes(one));
  return name === undefined ? undefined : { name, isSocket };
}

/**
 * Answers an upgrade. From then on the socket carries the protocol.
 *
 * @example switchProtocols(request, socket, agreeOnProtocol(request, 'ports', naming, versions)!)
 */
export function switchProtocols(
  { headers }: Pick<IncomingMessage, 'headers'>,
  socket: Duplex,
  { name, isSocket }: AgreedProtocol,
): void {
  const lines = isSocket
    ? `Upgrade: websocket\r\nSec-WebSocket-Accept: ${acceptOf(headers['sec-websocket-key'] ?? '')}\r\nSec-WebSocket-Protocol: ${name}`
    : `Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${name}`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${lines}\r\n\r\n`);
}

/** Whether a query asks for a stream of a process: `input`, `output` or `error`. */
function wants(query: URLSearchParams, name: string): boolean {
  return query.get(name) === '1' || query.get(name) === 'true';
}

/**
 * Carries the streams of a process over a web socket. Each stream has its own channel. Resolves when the process has
 * ended and all its output is sent.
 *
 * @example await overWebSocket(new WebSocketConnection(socket), new URLSearchParams('input=1&output=1'), process)
 */
export async function overWebSocket(
  connection: WebSocketConnection,
  query: URLSearchParams,
  process: ServedProcess,
  { output, size }: Noticed = {},
): Promise<void> {
  const send = async (channel: number, stream: Readable) => {
    for await (const data of stream as AsyncIterable<Buffer>) {
      output?.(data.length);
      await connection.send(Buffer.concat([Buffer.from([channel]), data]));
    }
  };
  const outputs = [
    ...(wants(query, 'output') ? [send(1, process.stdout)] : [process.stdout.resume()]),
    ...(wants(query, 'error') ? [send(2, process.stderr)] : [process.stderr.resume()]),
  ];
  const read = async () => {
    for await (const message of connection.messages()) {
      if (message[0] === 0) process.stdin.write(message.subarray(1));
      if (message[0] === 255 && message[1] === 0) process.stdin.end();
      if (message[0] === 4) size?.(message.subarray(1).toString());
    }
  };
  void read()
    .catch(() => {})
    .then(() => process.end(KILLED));
  const code = await process.ended;
  await Promise.all(outputs);
  await connection.send(Buffer.concat([Buffer.from([3]), Buffer.from(statusOf(code))]));
  await connection.close();
}

/**
 * Carries the streams of a process over SPDY. The process starts when all its streams are open, because clients accept
 * no data earlier.
 *
 * @example overSpdy(socket, new URLSearchParams('output=1'), () => startProcess(['sh', '-c', 'echo hello']))
 */
export function overSpdy(
  socket: Duplex,
  query: URLSearchParams,
  start: () => ServedProcess,
  { output, size }: Noticed = {},
): void {
  const wanted = 1 + ['input', 'output', 'error'].filter((name) => wants(query, name)).length;
  const streams = new Map<string, SpdyStream>();
  let process: ServedProcess | undefined;
  const session = new SpdySession(socket, 'server', (stream) => {
    const type = stream.headers['streamtype'] ?? '';
    stream.on('error', () => {});
    if (type === 'resize') {
      stream.on('data', (data: Buffer) => size?.(data.toString().trim()));
      return;
    }
    streams.set(type, stream);
    if (streams.size === wanted) void run();
  });
  void session.closed.then(() => process?.end(KILLED));
  const run = async () => {
    process = start();
    streams.get('stdin')?.pipe(process.stdin);
    const passed = (['stdout', 'stderr'] as const).map((name) => {
      const stream = streams.get(name);
      if (stream === undefined) return process![name].resume();
      process![name].on('data', (data: Buffer) => output?.(data.length));
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

/** The end of a process, as node agents report it. */
function statusOf(code: number): string {
  if (code === 0) return JSON.stringify({ metadata: {}, status: 'Success' });
  if (code < 0)
    return JSON.stringify({
      ...{ metadata: {}, status: 'Failure', reason: 'InternalError', code: 500 },
      message: 'error executing command in container: no such file or directory',
    });
  const message = `command terminated with non-zero exit code: exit status ${code}`;
  const details = { causes: [{ reason: 'ExitCode', message: String(code) }] };
  return JSON.stringify({ metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', message, details });
}

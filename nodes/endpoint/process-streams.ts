import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { SpdySession, type SpdyStream } from '#client/streams/spdy.ts';
import type { WebSocketConnection } from '#client/streams/web-socket.ts';
import { type SimulatedProcess, statusOf } from './simulated-process.ts';

/** How long clients may take to close a connection after they have got everything. */
const CLIENT_PATIENCE_MS = 2000;

/** Carries the streams of a process over a web socket, one channel each. */
export async function overWebSocket(
  connection: WebSocketConnection,
  query: URLSearchParams,
  process: SimulatedProcess,
): Promise<void> {
  const send = async (channel: number, stream: Readable) => {
    for await (const data of stream as AsyncIterable<Buffer>)
      await connection.send(Buffer.concat([Buffer.from([channel]), data]));
  };
  const wants = (name: string) => query.get(name) === '1' || query.get(name) === 'true';
  const outputs = [
    ...(wants('output') ? [send(1, process.stdout)] : [process.stdout.resume()]),
    ...(wants('error') ? [send(2, process.stderr)] : [process.stderr.resume()]),
  ];
  const read = async () => {
    for await (const message of connection.messages()) {
      if (message[0] === 0) process.stdin.write(message.subarray(1));
      if (message[0] === 255 && message[1] === 0) process.stdin.end();
    }
  };
  void read()
    .catch(() => {})
    .then(() => process.end(137));
  const code = await process.ended;
  await Promise.all(outputs);
  await connection.send(Buffer.concat([Buffer.from([3]), Buffer.from(statusOf(code))]));
  await connection.close();
}

/** Carries them over SPDY. The process starts when all its streams are there: clients take nothing before. */
export function overSpdy(socket: Duplex, query: URLSearchParams, start: () => SimulatedProcess): void {
  const wants = (name: string) => query.get(name) === '1' || query.get(name) === 'true';
  const wanted = 1 + ['input', 'output', 'error'].filter(wants).length;
  const streams = new Map<string, SpdyStream>();
  let process: SimulatedProcess | undefined;
  const session = new SpdySession(socket, 'server', (stream) => {
    const type = stream.headers['streamtype'] ?? '';
    stream.on('error', () => {});
    if (type === 'resize') {
      stream.resume();
      return;
    }
    streams.set(type, stream);
    if (streams.size === wanted) void run();
  });
  void session.closed.then(() => process?.end(137));
  const run = async () => {
    process = start();
    streams.get('stdin')?.pipe(process.stdin);
    const passed = (['stdout', 'stderr'] as const).map((name) => {
      const stream = streams.get(name);
      if (stream === undefined) return process![name].resume();
      process![name].pipe(stream);
      return once(stream, 'finish');
    });
    const code = await process.ended;
    await Promise.all(passed);
    const errors = streams.get('error')!;
    errors.end(statusOf(code));
    await once(errors, 'finish');
    const late = setTimeout(() => session.destroy(), CLIENT_PATIENCE_MS);
    await session.closed;
    clearTimeout(late);
    session.destroy();
  };
}

/** Answers what is sent to a port of a pod: a page that says that the port is simulated. */
export function answerPorts(under: Duplex, words: string): void {
  const session = new SpdySession(under, 'server', (stream) => {
    const { streamtype, port = '' } = stream.headers;
    stream.on('error', () => {});
    if (streamtype === 'error') {
      stream.end();
      return;
    }
    const body = `simulated: port ${port} of ${words}\n`;
    stream.once('data', () => {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\nconnection: close`;
      stream.end(`${head}\r\n\r\n${body}`);
      stream.resume();
    });
    stream.once('end', () => stream.end());
  });
  void session.closed.then(() => under.destroy());
}

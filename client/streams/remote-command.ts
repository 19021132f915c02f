import type { Readable, Writable } from 'node:stream';
import { ConnectionError, type StatusBody } from '../errors.ts';
import { parseJson } from '../json.ts';
import { channelProtocols } from './protocols.ts';
import { SpdySession, type SpdyStream } from './spdy.ts';
import { mayFallBack, openSpdy, openWebSocket, type StreamCall, type StreamCaller } from './upgrade.ts';
import { type WebSocketConnection, writeTo } from './web-socket.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The targets of the streams of a process. A stream without a target is not requested. */
export interface ProcessStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  /** Absent if the process has a terminal, because a terminal has only one output. */
  readonly stderr?: Writable | undefined;
  /** The sizes of the terminal: first the current one, and then each new one. */
  readonly sizes?: AsyncIterable<TerminalSize> | undefined;
}

/** The end of a process. `code` is undefined if the server does not report it. */
export interface ProcessEnd {
  readonly status: StatusBody;
  readonly code: number | undefined;
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
const CLOSE = 255;
const PING_MS = 5000;
/** The largest message with input, in bytes. */
const LONGEST_PIECE = 32 << 10;
/** The largest status, in bytes. Servers send much shorter ones. */
const LONGEST_STATUS = 1 << 20;

/**
 * Connects streams with a process in a container (the subresources exec and attach). It uses a web socket, or SPDY if
 * the server does not support version 5 of the web socket protocol. Resolves when the process has ended, or when the
 * client has disconnected. It reads data only as fast as the receiver accepts it.
 *
 * @throws ApiError if the server refuses, ConnectionError if the connection breaks
 * @example
 * const path = '/api/v1/namespaces/default/pods/web/exec?command=date&stdout=true';
 * const { code } = await remoteCommand(client, { path }, { stdout: process.stdout });
 */
export async function remoteCommand(
  caller: StreamCaller,
  call: StreamCall,
  streams: ProcessStreams,
): Promise<ProcessEnd> {
  try {
    const protocols = channelProtocols(caller.naming, [5]);
    const { connection } = await openWebSocket(caller, call, protocols);
    return await overWebSocket(connection, call, streams);
  } catch (error) {
    if (!mayFallBack(error)) throw error;
  }
  const { upgraded, protocol } = await openSpdy(caller, call, channelProtocols(caller.naming, [5, 4, 3, 2]));
  const version = Number(/^v(\d+)\./.exec(protocol)?.[1] ?? '1');
  return overSpdy(new SpdySession(upgraded.socket, 'client'), version, call, streams);
}

async function overWebSocket(
  connection: WebSocketConnection,
  { signal }: StreamCall,
  { stdin, stdout, stderr, sizes }: ProcessStreams,
): Promise<ProcessEnd> {
  const outputs = new Map<number, Writable | undefined>([
    [STDOUT, stdout],
    [STDERR, stderr],
  ]);
  const stop = () => connection.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  const alive = setInterval(() => void connection.ping(), PING_MS);
  const feeding = stdin === undefined ? undefined : feed(stdin, (data) => connection.send(onChannel(STDIN, data)));
  void feeding?.ended.then((whole) => (whole ? connection.send(Buffer.from([CLOSE, STDIN])) : undefined));
  const sizesFeed =
    sizes === undefined ? undefined : sendSizes(sizes, (text) => connection.send(onChannel(RESIZE, text)));
  const errors: Buffer[] = [];
  let length = 0;
  try {
    for await (const message of connection.messages()) {
      const channel = message[0];
      const data = message.subarray(1);
      if (channel === ERROR) {
        length += data.length;
        if (length <= LONGEST_STATUS) errors.push(data);
        // A status comes in one message. This message is the last one.
        if (data.length > 0) break;
      } else if (channel !== undefined && data.length > 0) {
        const output = outputs.get(channel);
        if (output !== undefined) await writeTo(output, data);
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    clearInterval(alive);
    signal?.removeEventListener('abort', stop);
    feeding?.stop();
    sizesFeed?.stop();
    await connection.close();
  }
  signal?.throwIfAborted();
  return endOf(Buffer.concat(errors).toString());
}

async function overSpdy(
  session: SpdySession,
  version: number,
  { signal }: StreamCall,
  { stdin, stdout, stderr, sizes }: ProcessStreams,
): Promise<ProcessEnd> {
  const stop = () => session.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  let feeding: Feeding | undefined;
  let sizesFeed: Feeding | undefined;
  try {
    const open = (streamType: string) => session.open({ streamtype: streamType });
    const errors = await open('error');
    errors.end();
    const input = stdin === undefined ? undefined : await open('stdin');
    const output = stdout === undefined ? undefined : await open('stdout');
    const complaints = stderr === undefined ? undefined : await open('stderr');
    const resize = sizes === undefined || version < 3 ? undefined : await open('resize');
    if (stdin !== undefined && input !== undefined) {
      feeding = feed(stdin, (data) => writeTo(input, data));
      void feeding.ended.then((whole) => whole && input.end());
      input.resume();
    }
    if (sizes !== undefined && resize !== undefined) sizesFeed = sendSizes(sizes, (text) => writeTo(resize, text));
    await Promise.all([output && stdout && pass(output, stdout), complaints && stderr && pass(complaints, stderr)]);
    const text = await wholeText(errors);
    signal?.throwIfAborted();
    if (version < 4) return endOf(text === '' ? '' : JSON.stringify({ status: 'Failure', message: text }));
    if (text === '') throw new ConnectionError('the connection was closed: unexpected EOF', true);
    return endOf(text);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError((error as Error).message, true, { cause: error });
  } finally {
    signal?.removeEventListener('abort', stop);
    feeding?.stop();
    sizesFeed?.stop();
    await session.close();
  }
}

async function pass(stream: SpdyStream, output: Writable): Promise<void> {
  for await (const data of stream as AsyncIterable<Buffer>) await writeTo(output, data);
}

async function wholeText(stream: SpdyStream): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const data of stream as AsyncIterable<Buffer>) {
    length += data.length;
    if (length > LONGEST_STATUS) break;
    pieces.push(data);
  }
  return Buffer.concat(pieces).toString();
}

function onChannel(channel: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([channel]), data]);
}

interface Feeding {
  /** Whether the caller read up to the end and did not stop earlier. */
  readonly ended: Promise<boolean>;
  stop(): void;
}

/**
 * Sends a stream piece by piece. Each piece is sent after the previous one. Data that is not read stays in the stream.
 */
function feed(input: Readable, send: (data: Buffer) => Promise<void>): Feeding {
  let stopped = false;
  let settle: (whole: boolean) => void = () => {};
  const ended = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  let sending: Promise<void> = Promise.resolve();
  const onData = (piece: Buffer | string) => {
    input.pause();
    sending = sending
      .then(async () => {
        const data = typeof piece === 'string' ? Buffer.from(piece) : piece;
        for (let at = 0; at < data.length && !stopped; at += LONGEST_PIECE)
          await send(data.subarray(at, at + LONGEST_PIECE));
      })
      .then(
        () => void (stopped || input.resume()),
        () => {},
      );
  };
  const onEnd = () => void sending.then(() => settle(true));
  const stop = () => {
    if (stopped) return;
    stopped = true;
    input.off('data', onData).off('end', onEnd).off('error', onEnd);
    input.pause();
    settle(false);
  };
  input.on('data', onData).on('end', onEnd).on('error', onEnd);
  if (input.readableEnded) onEnd();
  return { ended, stop };
}

function sendSizes(sizes: AsyncIterable<TerminalSize>, send: (text: Buffer) => Promise<void>): Feeding {
  const iterator = sizes[Symbol.asyncIterator]();
  const tell = async (): Promise<boolean> => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      await send(Buffer.from(JSON.stringify({ Width: next.value.columns, Height: next.value.rows })));
    return true;
  };
  return { ended: tell().catch(() => false), stop: () => void iterator.return?.() };
}

/** The end of a process, from its status. */
function endOf(text: string): ProcessEnd {
  if (text === '') return { status: { status: 'Success' }, code: 0 };
  let status: StatusBody;
  try {
    status = parseJson(text) as StatusBody;
  } catch {
    return { status: { status: 'Failure', message: `error stream protocol error: ${text}` }, code: undefined };
  }
  if (status.status === 'Success') return { status, code: 0 };
  const causes = status.reason === 'NonZeroExitCode' ? (status.details?.causes ?? []) : [];
  const cause = causes.find(({ reason }) => reason === 'ExitCode')?.message;
  return { status, code: cause !== undefined && /^\d+$/.test(cause) ? Number(cause) : undefined };
}

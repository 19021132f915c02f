import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Throttle } from './throttle.ts';

/** The interval at which the system probes an idle peer, in milliseconds, so that a lost peer is noticed. */
const KEEP_ALIVE_MS = 30_000;

function keepAlive(stream: Duplex): void {
  (stream as Partial<Socket>).setKeepAlive?.(true, KEEP_ALIVE_MS);
  (stream as Partial<Socket>).setNoDelay?.(true);
}

/** One end of a tunnel, and the bytes that arrived from it before the tunnel was made. */
interface End {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Copies bytes from `from` to `to`, and closes `to` when `from` ends. */
function pass({ socket: from, head }: End, to: Duplex): void {
  if (head.length > 0) to.write(head);
  from.pipe(to);
  from.once('error', () => to.destroy());
  from.once('close', () => {
    if (to.writableFinished) to.destroy();
    else to.end(() => to.destroy());
  });
}

/** Like {@link pass}, with at most `bytesPerSecond`. Bytes that `from` sent before its end still arrive. */
function passSlowly({ socket: from, head }: End, to: Duplex, bytesPerSecond: number): void {
  const throttle = new Throttle(bytesPerSecond);
  if (head.length > 0) throttle.write(head);
  from.pipe(throttle).pipe(to);
  from.once('error', () => to.destroy());
  from.once('close', () => {
    // The connection was cut, for example because this server ends. The rest is not sent.
    if (to.writableFinished || !from.readableEnded) to.destroy();
    else to.once('finish', () => to.destroy());
  });
  to.once('close', () => throttle.destroy());
}

/**
 * Answers the client with the backend's 101, and joins both connections. Each direction is limited to `bytesPerSecond`
 * (0 means no limit).
 */
export function joinConnections(answer: IncomingMessage, client: End, backend: End, bytesPerSecond: number): void {
  const lines = [`HTTP/1.1 101 ${answer.statusMessage ?? ''}`];
  for (let i = 0; i + 1 < answer.rawHeaders.length; i += 2) {
    lines.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}`);
  }
  for (const { socket } of [client, backend]) keepAlive(socket);
  client.socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  for (const [from, to] of [
    [client, backend],
    [backend, client],
  ] as const) {
    if (bytesPerSecond > 0) passSlowly(from, to.socket, bytesPerSecond);
    else pass(from, to.socket);
  }
}

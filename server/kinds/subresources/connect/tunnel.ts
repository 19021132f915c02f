import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Notices peers that vanished without a word, in milliseconds. */
const KEEP_ALIVE_MS = 30_000;

function keepAlive(stream: Duplex): void {
  (stream as Partial<Socket>).setKeepAlive?.(true, KEEP_ALIVE_MS);
  (stream as Partial<Socket>).setNoDelay?.(true);
}

/** Passes on what comes from `from`, and closes `to` when `from` is gone. */
function pass(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.once('error', () => to.destroy());
  from.once('close', () => {
    if (to.writableFinished) to.destroy();
    else to.end(() => to.destroy());
  });
}

/** Answers the client with the backend's 101, and joins both connections. */
export function joinConnections(
  answer: IncomingMessage,
  client: { readonly socket: Duplex; readonly head: Buffer },
  backend: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const lines = [`HTTP/1.1 101 ${answer.statusMessage ?? ''}`];
  for (let i = 0; i + 1 < answer.rawHeaders.length; i += 2) {
    lines.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}`);
  }
  for (const { socket } of [client, backend]) keepAlive(socket);
  client.socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  if (backend.head.length > 0) client.socket.write(backend.head);
  if (client.head.length > 0) backend.socket.write(client.head);
  pass(client.socket, backend.socket);
  pass(backend.socket, client.socket);
}

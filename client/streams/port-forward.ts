import type { Duplex } from 'node:stream';
import { portForwardProtocol, tunnelProtocol } from './protocols.ts';
import { SpdySession } from './spdy.ts';
import { WebSocketTunnel } from './tunnel.ts';
import { mayFallBack, openSpdy, openWebSocket, type StreamCall, type StreamCaller } from './upgrade.ts';

/** The largest part of an error message that is used, in bytes. */
const LONGEST_COMPLAINT = 64 << 10;

/** A connection to a pod. It carries any number of connections to the ports of the pod. */
export class PortForward {
  readonly #session: SpdySession;
  #requests = 0;

  constructor(session: SpdySession) {
    this.#session = session;
  }

  /** Resolves when the connection to the pod is lost, or closed. */
  get lost(): Promise<Error | undefined> {
    return this.#session.closed;
  }

  /**
   * Opens a connection to a port. `data` carries its bytes in both directions. `complaint` resolves when the connection
   * has ended: to the error of the other side, or to '' on success.
   */
  async connect(port: number): Promise<{ readonly data: Duplex; readonly complaint: Promise<string> }> {
    const common = { port: String(port), requestid: String(this.#requests++) };
    const errors = await this.#session.open({ streamtype: 'error', ...common });
    // This stream only receives data.
    errors.end();
    const complaint = complaintOf(errors);
    try {
      return { data: await this.#session.open({ streamtype: 'data', ...common }), complaint };
    } catch (error) {
      errors.destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}

/**
 * Opens a connection to the ports of a pod (the subresource portforward). It uses a web socket, or SPDY if the server
 * does not support web sockets.
 *
 * @throws ApiError if the server refuses
 * @example
 * const forward = await openPortForward(client, { path: '/api/v1/namespaces/default/pods/web/portforward' });
 * const { data } = await forward.connect(8080);
 */
export async function openPortForward(caller: StreamCaller, call: StreamCall): Promise<PortForward> {
  try {
    const { connection } = await openWebSocket(caller, call, [tunnelProtocol(caller.naming)]);
    return new PortForward(new SpdySession(new WebSocketTunnel(connection), 'client'));
  } catch (error) {
    if (!mayFallBack(error)) throw error;
  }
  const { upgraded } = await openSpdy(caller, call, [portForwardProtocol(caller.naming)]);
  return new PortForward(new SpdySession(upgraded.socket, 'client'));
}

async function complaintOf(stream: Duplex): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const data of stream as AsyncIterable<Buffer>) {
      length += data.length;
      if (length > LONGEST_COMPLAINT) break;
      pieces.push(data);
    }
  } catch {
    // The connection is lost: `lost` resolves.
  }
  return Buffer.concat(pieces).toString();
}

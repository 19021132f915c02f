import type { Naming } from '#base/naming/naming.ts';
import { acceptOf } from '#program/connection/web-socket-frame.ts';
import type { Caller } from '../caller.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import type { Upgraded } from '../http/exchange.ts';
import { newKey, WebSocketConnection } from './web-socket.ts';

/** A call that continues as streams. */
export interface StreamCall {
  /** The path with the query. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  /** The time limit for the connection, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** The calls that opening a connection uses. */
export interface StreamCaller extends Pick<Caller, 'upgrade'> {
  readonly naming: Naming;
}

/**
 * Opens a web socket that uses one of these protocols.
 *
 * @throws ApiError if the server refuses, ConnectionError if it does not support any of them
 * @example const { connection } = await openWebSocket(client, { path }, channelProtocols(client.naming, [5]));
 */
export async function openWebSocket(
  caller: StreamCaller,
  call: StreamCall,
  protocols: readonly string[],
): Promise<{ readonly connection: WebSocketConnection; readonly protocol: string }> {
  const key = newKey();
  const headers = {
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    'sec-websocket-protocol': protocols.join(', '),
  };
  const { socket, headers: answered } = await caller.upgrade({
    method: 'GET',
    ...call,
    headers,
    protocol: 'websocket',
  });
  const protocol = headerOf({ socket, headers: answered }, 'sec-websocket-protocol');
  if (
    headerOf({ socket, headers: answered }, 'sec-websocket-accept') !== acceptOf(key) ||
    !protocols.includes(protocol)
  ) {
    socket.destroy();
    throw new ConnectionError(`unable to negotiate: the server speaks ${JSON.stringify(protocol)}`, true);
  }
  return { connection: new WebSocketConnection(socket, true), protocol };
}

/**
 * Opens a connection of SPDY 3.1 that uses one of these protocols.
 *
 * @throws ApiError if the server refuses
 * @example const { upgraded } = await openSpdy(client, { path }, [portForwardProtocol(client.naming)]);
 */
export async function openSpdy(
  caller: StreamCaller,
  call: StreamCall,
  protocols: readonly string[],
): Promise<{ readonly upgraded: Upgraded; readonly protocol: string }> {
  const upgraded = await caller.upgrade({
    method: 'POST',
    ...call,
    headers: { 'x-stream-protocol-version': [...protocols] },
    protocol: 'SPDY/3.1',
  });
  return { upgraded, protocol: headerOf(upgraded, 'x-stream-protocol-version') };
}

function headerOf({ headers }: Upgraded, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
}

/** Statuses of answers about the request itself. Another protocol would not help. */
const FINAL = [401, 403, 404, 410, 429];

/** Whether a server with this answer may support another protocol. */
export function mayFallBack(error: unknown): boolean {
  if (error instanceof ApiError) return error.status.kind !== 'Status' || !FINAL.includes(error.code);
  return error instanceof ConnectionError && error.message.startsWith('unable to negotiate');
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { timerMs } from '#base/time/longest-timer.ts';
import type { Client } from '#client/client.ts';
import type { Connection } from '#program/connection/connection.ts';
import { Api } from './api.ts';
import type { Asset } from './assets.ts';
import { Exchange } from './exchange.ts';
import { Session } from './session.ts';

export interface ConsoleOptions {
  readonly client: Client;
  readonly connection: Connection;
  /** The addresses of managers. If there are none, the console tries the usual ports beside the replicas. */
  readonly managers: readonly string[];
  /** The address of the server, for the page to show. */
  readonly server: string;
  /** The namespace of the connection. */
  readonly namespace: string;
  /** The files of the page, by their path. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Whether changes are allowed. If not, this process refuses all changes, even those that the user may make. */
  readonly mayWrite: boolean;
  /** 0 for any free port. */
  readonly port: number;
}

/** A console that runs. */
export interface RunningConsole {
  /** The address to open, with the secret that can be used once. */
  readonly url: string;
  /** Resolves when it has ended, by `close` or after an hour without use. */
  readonly ended: Promise<void>;
  close(): void;
}

/** The time limits for the head and the body of a request, in milliseconds. */
const REQUEST_MS = 10_000;
const MOST_HEADER_BYTES = 16 * 1024;

/**
 * Serves the console on the loopback address: the page, and answers to its requests. Credentials stay in this process.
 *
 * @throws Error if the port is in use
 */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const server = createServer({
    requestTimeout: REQUEST_MS,
    headersTimeout: REQUEST_MS,
    maxHeaderSize: MOST_HEADER_BYTES,
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // No other protocol is spoken: a web socket of another site ends here.
  server.on('upgrade', (_, socket) => socket.destroy());
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  const session = new Session(port);
  const api = new Api(options);
  const context = { port, session, api, assets: options.assets };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void new Exchange(request, response, context).answer();
  });
  let timer: NodeJS.Timeout | undefined;
  let close = (): void => {};
  const ended = new Promise<void>((resolve) => {
    close = () => {
      clearTimeout(timer);
      api.end();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    };
  });
  const watchIdleness = (): void => {
    if (session.leftMs <= 0) close();
    else timer = setTimeout(watchIdleness, timerMs(session.leftMs));
  };
  watchIdleness();
  return { url: `http://127.0.0.1:${port}/#secret=${session.secret}`, ended, close };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { maySpeakWebSocket, mayUpgrade } from '../api/connected.ts';
import { requestInfo } from '../api/request-info.ts';
import { noteUpgrade } from '../api/upgrade.ts';
import { asksForWebSocket } from '../api/web-socket.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * Whether an upgrade is possible at a path. At other paths an upgrade request is an ordinary request with its body (if
 * Node.js asks at all). `elsewhere` names paths besides those of this server's own resources.
 */
export function upgradable(elsewhere: (path: string) => boolean): (request: IncomingMessage) => boolean {
  return ({ method = '', url = '', headers }) => {
    const mark = url.indexOf('?');
    const [path, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    const info = requestInfo(method, path, new URLSearchParams(query));
    if (mayUpgrade(info) || elsewhere(info.path)) return true;
    return maySpeakWebSocket(info) && asksForWebSocket(headers);
  };
}

/**
 * Handles upgrade requests like all others. A handler that accepts the upgrade writes to the socket of `upgradeOf`.
 * Every other answer is sent as usual, and ends the connection. Such requests have no body. A request that does not
 * wait for the answers to earlier requests ends its connection.
 */
export function serveUpgrades(server: Server, pipeline: Pipeline, listener: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The server removes its own handlers. Without one, an error would end the process.
    socket.on('error', () => socket.destroy());
    // If the answer to an earlier request is not complete, the upgrade ends the connection.
    if (pipeline.isBusy(socket)) {
      socket.destroy();
      return;
    }
    noteUpgrade(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Parameters<typeof response.assignSocket>[0]);
    response.once('finish', () => socket.end());
    listener(request, response);
  });
}

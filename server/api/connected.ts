import { table } from '#base/collections/own-properties.ts';
import type { RequestInfo } from './request-context.ts';

/** Subresources that connect the client with another program than this server. */
const CONNECTED: Readonly<Record<string, ReadonlySet<string>>> = table({
  pods: new Set(['attach', 'exec', 'log', 'portforward', 'proxy']),
  services: new Set(['proxy']),
  nodes: new Set(['proxy']),
});

/**
 * Whether a program behind this server answers a request. If so, this server does not read the query, uses the Accept
 * header only for logs, and sets no time limit for the request.
 */
export function isConnected(info: RequestInfo): boolean {
  return info.group === '' && CONNECTED[info.resource]?.has(info.subresource) === true;
}

/**
 * Whether the client decides how long a request lasts. This is so for streams, for requests that another server
 * answers, and for profiles of this process.
 */
export function isLongRunning(info: RequestInfo): boolean {
  return info.verb === 'watch' || isConnected(info) || (!info.isResource && info.path.startsWith('/debug/pprof/'));
}

/** Whether this path allows an upgrade of the connection. */
export function mayUpgrade(info: RequestInfo): boolean {
  return isConnected(info) && info.subresource !== 'log';
}

/**
 * Whether this server itself can answer over a web socket. It can for watches, and for logs that the agent of a node
 * streams.
 */
export function maySpeakWebSocket(info: RequestInfo): boolean {
  return info.verb === 'watch' || (isConnected(info) && info.subresource === 'log');
}

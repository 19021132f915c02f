import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { agreeOnProtocol, overSpdy, overWebSocket, switchProtocols } from '#client/streams/serve-process.ts';
import { WebSocketTunnel } from '#client/streams/tunnel.ts';
import { WebSocketConnection } from '#client/streams/web-socket.ts';
import type { Node } from '#schema/generated/core.v1.ts';
import { answerPorts } from './answer-ports.ts';
import { writeLog } from './container-log.ts';
import { answerMetrics } from './metrics-api.ts';
import { type Find, statusIn } from './place.ts';
import { simulateAttached, simulateCommand } from './simulated-process.ts';
import { resourceMetrics, summary, type UsedPod } from './usage.ts';

/** The data of the servers of nodes. */
export interface ServeNodesOptions {
  readonly naming: Naming;
  readonly address: string;
  readonly port: number;
  readonly cert: string;
  readonly key: string;
  /**
   * The certificate for clients that connect to this host. API servers do so when they forward requests for metrics.
   */
  readonly metrics: { readonly host: string; readonly cert: string; readonly key: string };
  /**
   * The authority (PEM) for client certificates, which clients must present. Undefined means that all clients may
   * connect.
   */
  readonly clientCa: string | undefined;
  readonly find: Find;
  /** The nodes that are up. */
  readonly nodes: () => readonly Node[];
  /** All pods on them. */
  readonly pods: () => readonly UsedPod[];
  readonly log: Logger;
}

/** One server for all simulated nodes. It listens at the address at which an API server expects the agent of a node. */
export interface NodesServer {
  readonly port: number;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 1000;
const HEADERS_TIMEOUT_MS = 10_000;

/** Serves logs, commands, ports and metrics of simulated pods. @throws ConfigError if it cannot listen */
export async function serveNodes(options: ServeNodesOptions): Promise<NodesServer> {
  const { address, port, cert, key, metrics, clientCa, log } = options;
  const trust = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
  const ca = clientCa === undefined ? {} : { ca: clientCa };
  const ofMetrics = createSecureContext({ cert: metrics.cert, key: metrics.key, ...ca });
  // Any other host gets the certificate of the nodes.
  const SNICallback: TlsOptions['SNICallback'] = (host, answer) =>
    host === metrics.host ? answer(null, ofMetrics) : answer(null);
  const server = https.createServer({ cert, key, ...trust, SNICallback, headersTimeout: HEADERS_TIMEOUT_MS });
  server.maxConnections = MOST_CONNECTIONS;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', (err) => log.debug({ err }, 'a client of the nodes was refused'));
  server.on('request', (request, response) => answer(request, response, options));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (head.length > 0) socket.unshift(head);
    socket.on('error', () => {});
    void upgrade(request, socket, options).catch((err: unknown) => {
      log.debug({ err }, 'a stream of a simulated container ended');
      socket.destroy();
    });
  });
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ConfigError(`cannot listen on ${address}:${port}: ${(error as Error).message}`);
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close').catch(() => {});
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, options: ServeNodesOptions): void {
  const { find, pods, naming } = options;
  const asked = readPath(request);
  if (asked === undefined) {
    response.writeHead(400).end('the path cannot be read\n');
    return;
  }
  const { url, parts } = asked;
  const [word, namespace = '', pod = '', container = ''] = parts;
  const now = Date.now();
  switch (word) {
    case 'healthz':
      response.end('ok');
      return;
    case 'containerLogs': {
      const place = find(namespace, pod, container);
      if (place === undefined) response.writeHead(404).end(`container "${container}" of pod "${pod}" not found`);
      else writeLog(response, place, url.searchParams);
      return;
    }
    case 'pods':
      writeJson(response, 200, {
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: {},
        items: pods().map(({ pod }) => pod),
      });
      return;
    case 'metrics':
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
      response.end(resourceMetrics(pods(), now, naming));
      return;
    case 'stats':
      writeJson(response, 200, summary('simulated-nodes', pods(), now, naming));
      return;
    case 'apis': {
      const { code, body } = answerMetrics(options, url.pathname, url.searchParams, now) ?? { code: 404, body: {} };
      writeJson(response, code, body);
      return;
    }
    case 'exec':
    case 'attach':
    case 'portForward':
      response.writeHead(400).end('you must specify a protocol to upgrade to\n');
      return;
    default:
      response.writeHead(404).end('404 page not found\n');
  }
}

/** The path of a request, and its parts; undefined if the path is malformed. */
function readPath({ url: text = '/' }: IncomingMessage): { url: URL; parts: readonly string[] } | undefined {
  try {
    const url = new URL(`https://node${text}`);
    return { url, parts: url.pathname.slice(1).split('/').map(decodeURIComponent) };
  } catch {
    return undefined;
  }
}

function writeJson(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function upgrade(request: IncomingMessage, socket: Duplex, { naming, find }: ServeNodesOptions): Promise<void> {
  const asked = readPath(request);
  if (asked === undefined) return refuse(socket, 400, 'the path cannot be read');
  const { url, parts } = asked;
  const [word = '', namespace = '', pod = '', container] = parts;
  const what = word === 'portForward' ? 'ports' : 'process';
  const protocol = agreeOnProtocol(request, what, naming, { socket: [5, 4], spdy: [4] });
  if (protocol === undefined) return refuse(socket, 403, 'unable to upgrade: no protocol in common');
  const { isSocket } = protocol;
  const place = find(namespace, pod, word === 'portForward' ? undefined : container);
  const runs = place !== undefined && (word === 'portForward' || statusIn(place)?.state?.running !== undefined);
  if (!runs) return refuse(socket, 404, `container not found ("${container ?? ''}")`);
  switchProtocols(request, socket, protocol);
  if (word === 'portForward') {
    const under = isSocket ? new WebSocketTunnel(new WebSocketConnection(socket, false)) : socket;
    return answerPorts(under, `pod ${namespace}/${pod} on ${place.node}`);
  }
  const start = () =>
    word === 'exec' ? simulateCommand(place, url.searchParams.getAll('command'), naming) : simulateAttached(place);
  if (isSocket) await overWebSocket(new WebSocketConnection(socket, false), url.searchParams, start());
  else overSpdy(socket, url.searchParams, start);
}

const REASONS = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found' } as const;

function refuse(socket: Duplex, status: keyof typeof REASONS, text: string): void {
  const head = `HTTP/1.1 ${status} ${REASONS[status]}`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`);
}

import { unwatchFile, watchFile } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket, TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { table } from '#base/collections/own-properties.ts';
import { ConfigError } from '#base/errors/config-error.ts';
import { methodNotAllowed } from '#base/errors/status-error.ts';
import type { AddressRanges } from '#program/flags/address-ranges.ts';
import { type KeyPairFiles, readKeyPair } from '#program/flags/key-pair.ts';
import type { NamedCertificate } from '#program/flags/named-certificates.ts';
import type { ServingTls } from '#program/flags/serving-tls.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { MessageClasses } from './app.ts';
import { BodyPieces, type ConnectionPieces } from './body-pieces.ts';
import { Connections } from './connections.ts';
import { type Http2Service, Http2Sessions } from './http2/sessions.ts';
import { InnerConnection } from './inner-connection.ts';
import { Pipeline } from './pipeline.ts';
import { acceptProxyHeaders } from './proxy-protocol.ts';
import { refuse, refuseUnreadable } from './refuse-unreadable.ts';
import { ServerNames } from './server-names.ts';
import { serveUpgrades, upgradable } from './upgrades.ts';

export interface ListenerOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly tls: ServingTls;
  /** Certificates for clients that ask for certain names. */
  readonly named?: readonly NamedCertificate[];
  /** Whether other processes may listen on the same port. The system spreads connections over them. */
  readonly sharePort?: boolean;
  /** The addresses that may use the PROXY protocol. */
  readonly proxies?: AddressRanges | undefined;
  /** The certification authorities (PEM) for client certificates. They may change. */
  readonly clientCa: () => readonly string[];
  /** The classes of requests and answers; by default the classes of Node.js. */
  readonly messages?: MessageClasses;
  /** Whether clients may also upgrade connections at a path; by default they may not. */
  readonly mayUpgrade?: (path: string) => boolean;
  /** Answers over HTTP/2; undefined if it is not offered. */
  readonly http2?: Http2Service | undefined;
  readonly address: string;
  readonly port: number;
  /** The metrics that count connections. */
  readonly metrics?: MetricSet;
  readonly log: Logger;
}

/** The interval of checks of certificate files, in milliseconds. */
const RELOAD_EVERY = 2000;

/** The time limit for a TLS handshake, and for the head of a request, in milliseconds. */
const HEADERS_TIMEOUT = 30_000;

/** The largest size of a request's head, in bytes. Label selectors can make targets long. */
const MAX_HEAD = 256 * 1024;

/** The interval of checks for late heads, in milliseconds. */
const CHECK_EVERY = 5000;

/** How long a stopping server waits for running requests, in milliseconds. It is the time limit of requests. */
const DRAIN_LIMIT = 60_000;

/** How long idle connections are kept. It is longer than in load balancers before the server. */
const KEEP_ALIVE = 90_000;

/**
 * The time in milliseconds for which a stopping server keeps idle connections. A client that sends requests more often
 * than this learns from an answer that it must use another server, and loses no request.
 */
const IDLE_GRACE = 2000;

/**
 * The longest time for which a stopping server still accepts connections, in milliseconds. It stops earlier if none
 * waits at its port.
 */
const QUIET_LIMIT = 1000;

/** Explanations of the system's errors for an operator. */
const LISTEN_TROUBLE: Readonly<Record<string, string>> = table({
  EADDRINUSE: 'another process has this port',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EACCES: 'ports below 1024 need a right that this user does not have',
});

/** The flags that name the certificates, for messages. */
const OWN_FLAGS = { cert: '--tls-cert-file', key: '--tls-private-key-file' };
const SNI_FLAGS = { cert: '--tls-sni-cert-key', key: '--tls-sni-cert-key' };

/**
 * A TLS listener that asks for client certificates and reloads its certificates from disk. It stops in steps. Each step
 * includes the step before.
 */
export interface Listener {
  readonly port: number;
  /**
   * A connection from inside this process. It uses HTTP/1.1 without encryption.
   *
   * @param certificate DER of the certificate that the client shows
   */
  connect(certificate?: Buffer): Duplex;
  /** Ends all connections at once, like a process that is killed. */
  cut(): void;
  /** From now on, every answer ends its connection, even an answer that has already begun. */
  leave(): void;
  /** Accepts no more connections. Existing connections are still served. */
  refuse(): Promise<void>;
  /** Waits for the requests in progress, and ends idle connections within seconds. */
  drain(): Promise<void>;
}

/** The reason why the server cannot listen on an address. It is one line if the operator can correct it. */
function cannotListen(error: NodeJS.ErrnoException, { address, port }: ListenerOptions): Error {
  const why = error.code === undefined ? undefined : LISTEN_TROUBLE[error.code];
  return why === undefined
    ? error
    : new ConfigError(`cannot listen on ${address} port ${port} (--bind-address, --secure-port): ${why}`);
}

/** Counts open connections by protocol. */
function countConnections(server: Pick<Server, 'on'>, metrics: MetricSet | undefined): void {
  if (metrics === undefined) return;
  const open = metrics.gauge('apiserver_open_connections');
  server.on('secureConnection', (socket: TLSSocket) => {
    const series = open.of({ protocol: socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1' });
    series.inc();
    socket.once('close', () => series.dec());
  });
}

/** Starts to listen. Rejects with a ConfigError if the port is in use or a certificate cannot be used. */
export async function listen(listener: RequestListener, options: ListenerOptions): Promise<Listener> {
  const { certFile, keyFile, tls, named = [], sharePort = false, log } = options;
  let authorities = options.clientCa();
  const material = (certFile: string, keyFile: string, flags: KeyPairFiles['flags']) => ({
    ...readKeyPair({ certFile, keyFile, flags }),
    minVersion: tls.minVersion,
    ...(tls.ciphers === undefined ? {} : { ciphers: tls.ciphers }),
    ...(authorities.length === 0 ? {} : { ca: [...authorities] }),
  });
  const names = new ServerNames(named, (cert, key) => material(cert, key, SNI_FLAGS));
  names.load();
  const files = [certFile, keyFile, ...names.files];
  const SNICallback: TlsOptions['SNICallback'] = (name, done) => done(null, names.contextFor(name));
  const server = createServer({
    ...material(certFile, keyFile, OWN_FLAGS),
    ...(named.length === 0 ? {} : { SNICallback }),
    ...options.messages,
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: HEADERS_TIMEOUT,
    headersTimeout: HEADERS_TIMEOUT,
    connectionsCheckingInterval: CHECK_EVERY,
    maxHeaderSize: MAX_HEAD,
    requestTimeout: 0,
    // Node.js would answer such requests before earlier ones.
    requireHostHeader: false,
    keepAliveTimeout: KEEP_ALIVE,
    noDelay: true,
    ALPNProtocols: options.http2 === undefined ? ['http/1.1'] : ['h2', 'http/1.1'],
    shouldUpgradeCallback: upgradable(options.mayUpgrade ?? (() => false)),
  });
  const pieces = new BodyPieces();
  const sessions = options.http2 && serveHttp2(server, options.http2, { log, pieces });
  if (options.proxies !== undefined) acceptProxyHeaders(server, options.proxies);
  const connections = new Connections(server);
  const handshakeErrors = options.metrics?.counter('apiserver_tls_handshake_errors_total');
  countConnections(server, options.metrics);
  const counted: RequestListener = (request, response) => {
    // Each active filter waits for the end of the answer, and some functions of streams wait more than once.
    response.setMaxListeners(32);
    connections.began(response);
    listener(request, response);
  };
  const pipeline = new Pipeline();
  const taken = (listener: RequestListener, request: IncomingMessage, response: ServerResponse): void => {
    takeRecords(request.socket);
    watchBody(request, pieces);
    pipeline.enter(request.socket, response, () => listener(request, response));
  };
  server.on('request', (request, response) => taken(hasHost(request) ? counted : end(400), request, response));
  server.on('checkExpectation', (request, response) => taken(end(417), request, response));
  serveUpgrades(server, pipeline, counted);
  server.maxHeadersCount = 200;
  const reload = (): void => {
    try {
      names.load();
      server.setSecureContext(material(certFile, keyFile, OWN_FLAGS));
      log.info({ certFile }, 'reloaded the certificates');
    } catch (error) {
      log.error({ err: error, certFile }, 'the new certificates cannot be used; the old ones stay');
    }
  };
  const lookAtAuthorities = (): void => {
    const now = options.clientCa();
    if (now.join() === authorities.join()) return;
    authorities = now;
    reload();
  };
  const authoritiesWatch = setInterval(lookAtAuthorities, RELOAD_EVERY).unref();
  for (const file of files) watchFile(file, { interval: RELOAD_EVERY, persistent: false }, reload);
  server.on('clientError', (error, socket) => {
    log.debug({ err: error }, 'a request could not be read');
    refuseUnreadable(error, socket as TLSSocket, { pipeline, listener: counted });
  });
  // Without a listener, Node.js would cut the connection.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    if (pipeline.isBusy(socket)) socket.destroy();
    else refuse(methodNotAllowed(), socket);
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    log.debug({ err: error }, 'a TLS handshake failed');
    handshakeErrors?.inc({});
    // Node.js reports only these.
    if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(cannotListen(error, options));
    server.once('error', failed);
    server.listen({ port: options.port, host: options.address, reusePort: sharePort }, () => {
      server.off('error', failed);
      resolve();
    });
  });
  server.on('error', (error: Error) => log.error({ err: error }, 'listener error'));
  let closed: Promise<void> | undefined;
  const leave = (): void => {
    connections.leave();
    sessions?.leave();
  };
  const refuseConnections = async (): Promise<void> => {
    leave();
    if (closed !== undefined) return;
    // Connections that wait at the port when it closes would be reset.
    await connections.quiet(QUIET_LIMIT);
    // The method of `http` would also close idle connections whose clients may be sending.
    closed ??= new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  };
  return {
    port: portOf(server),
    connect(certificate) {
      const { client, server: end } = InnerConnection.pair(certificate);
      server.emit('secureConnection', end);
      return client;
    },
    cut: () => connections.endAll(),
    leave,
    refuse: refuseConnections,
    async drain() {
      clearInterval(authoritiesWatch);
      for (const file of files) unwatchFile(file, reload);
      await refuseConnections();
      const ended = [connections, ...(sessions === undefined ? [] : [sessions])];
      await Promise.all(ended.map((of) => of.ended(closed!, IDLE_GRACE, DRAIN_LIMIT)));
      server.close();
    },
  };
}

/** Whether a request names its host, as it must since HTTP/1.1 (RFC 9112, section 3.2). */
function hasHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion !== '1.1' || headers.host !== undefined;
}

/** Answers with only a status, and ends the connection. */
function end(status: number): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { Connection: 'close' });
    response.end();
  };
}

/** Connections whose parser reads from the stream. */
const streamed = new WeakSet<Duplex>();

/**
 * Makes the parser of a connection read from the stream. Node.js pauses a connection and its parser if the next request
 * arrives before the client has read the previous answer. But the parser gets its bytes from below the stream. If
 * several TLS records were read at once, the records after the pause still reach the parser. It then refuses them
 * (HPE_PAUSED), and the request with them. A paused stream keeps such records.
 */
function takeRecords(socket: Duplex): void {
  if (!socket.isPaused() || streamed.has(socket)) return;
  streamed.add(socket);
  // With a listener for data, Node.js does this.
  socket.on('data', () => {});
  // Node.js has stopped reading the socket, but the stream does not know this. Only this call starts it again.
  socket._read(0);
}

/** The counted body pieces of each connection. */
const connectionPieces = new WeakMap<Duplex, ConnectionPieces>();

/** Ends connections that send bodies in thousands of chunks or records of a few bytes each. */
function watchBody(request: IncomingMessage, pieces: BodyPieces): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && length === '0') return;
  const { socket } = request;
  let known = connectionPieces.get(socket);
  if (known === undefined) connectionPieces.set(socket, (known = pieces.connection()));
  pieces.watch(request, known, (_bytes, verdict) => {
    if (verdict !== 'fine') socket.destroy();
  });
}

/** Serves connections on which HTTP/2 was agreed, and passes all others on as before. */
function serveHttp2(
  server: Server,
  service: Http2Service,
  { log, pieces }: { log: Logger; pieces: BodyPieces },
): Http2Sessions {
  const sessions = new Http2Sessions(service, log, { pieces });
  const [serveHttp1] = server.listeners('secureConnection') as ((this: Server, socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') sessions.accept(socket);
    else serveHttp1?.call(server, socket);
  });
  return sessions;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

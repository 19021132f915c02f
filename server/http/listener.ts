import { unwatchFile, watchFile } from 'node:fs';
import { type RequestListener, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { type KeyPairFiles, readKeyPair } from '../config/key-pair.ts';
import type { NamedCertificate } from '../config/named-certificates.ts';
import type { ServingTls } from '../config/serving-tls.ts';
import { ConfigError } from '../errors/config-error.ts';
import { badRequest, methodNotAllowed, StatusError } from '../errors/status-error.ts';
import { ServerNames } from './server-names.ts';
import { serveUpgrades, shouldUpgradeCallback } from './upgrades.ts';

export interface ListenerOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly tls: ServingTls;
  /** For clients that ask for certain names. */
  readonly named?: readonly NamedCertificate[];
  /** Let other processes listen on the same port; the system spreads connections over them. */
  readonly sharePort?: boolean;
  /** PEM of the certification authorities that client certificates are asked for from; may change. */
  readonly clientCa: () => readonly string[];
  readonly address: string;
  readonly port: number;
  readonly log: Logger;
}

/** How often certificate files are looked at, in milliseconds. */
const RELOAD_EVERY = 2000;

/** Time for a TLS handshake, and for the head of a request, to arrive, in milliseconds. */
const HEADERS_TIMEOUT = 30_000;

/** How often connections are looked at for heads that are late, in milliseconds. */
const CHECK_EVERY = 5000;

/** A server that stops waits so long for the requests under way, in milliseconds: as long as requests may take. */
const DRAIN_LIMIT = 60_000;

/** Idle connections are kept this long: longer than the load balancers in front. */
const KEEP_ALIVE = 90_000;

/**
 * How long a server that stops goes on listening, in milliseconds. Meanwhile every answer ends its connection, so that
 * busy clients turn elsewhere by themselves instead of losing the request that they are just sending.
 */
const LEAVE = 200;

/** How often a server that stops closes connections that have become idle, in milliseconds. */
const CLOSE_IDLE_EVERY = 50;

/** What the system's errors mean for who starts a server. */
const LISTEN_TROUBLE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process has this port',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EACCES: 'ports below 1024 need a right that this user does not have',
};

/** The flags that name the certificates, for people. */
const OWN_FLAGS = { cert: '--tls-cert-file', key: '--tls-private-key-file' };
const SNI_FLAGS = { cert: '--tls-sni-cert-key', key: '--tls-sni-cert-key' };

/** What is no HTTP gets a Status all the same, where the connection can still carry one. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuse(
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new StatusError(408, 'Timeout', 'the request did not arrive in time')
      : error.code === 'HPE_INVALID_METHOD'
        ? methodNotAllowed()
        : error.code === 'HPE_HEADER_OVERFLOW'
          ? new StatusError(431, 'RequestHeaderFieldsTooLarge', 'the request has too many or too large headers')
          : badRequest('the request is not HTTP'),
    socket,
  );
}

/** Answers without a request to answer to, and ends the connection. */
function refuse(refusal: StatusError, socket: Duplex): void {
  const body = JSON.stringify(refusal.status);
  socket.end(
    `HTTP/1.1 ${refusal.code} ${STATUS_CODES[refusal.code]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** A TLS listener that asks for client certificates, takes new certificates from disk, and drains. */
export interface Listener {
  readonly port: number;
  /** Sends clients away, stops taking connections, and waits for the requests under way. */
  drain(): Promise<void>;
}

/** Why an address cannot be listened on, in one line where it is the operator's to mend. */
function cannotListen(error: NodeJS.ErrnoException, { address, port }: ListenerOptions): Error {
  const why = error.code === undefined ? undefined : LISTEN_TROUBLE[error.code];
  return why === undefined
    ? error
    : new ConfigError(`cannot listen on ${address} port ${port} (--bind-address, --secure-port): ${why}`);
}

/** Starts to listen. Rejects with a ConfigError when the port is taken or a certificate cannot be used. */
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
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: HEADERS_TIMEOUT,
    headersTimeout: HEADERS_TIMEOUT,
    connectionsCheckingInterval: CHECK_EVERY,
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE,
    noDelay: true,
    shouldUpgradeCallback,
  });
  let leaving = false;
  server.on('request', (_request, response) => {
    if (leaving) response.shouldKeepAlive = false;
  });
  server.on('request', listener);
  serveUpgrades(server, listener);
  server.maxHeadersCount = 200;
  const reload = (): void => {
    try {
      names.load();
      server.setSecureContext(material(certFile, keyFile, OWN_FLAGS));
      log.info({ certFile }, 'certificates loaded again');
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
  server.on('clientError', refuseMalformed);
  // without a listener Node.js would cut the connection
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuse(methodNotAllowed(), socket);
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    log.debug({ err: error }, 'a TLS handshake failed');
    // Node only tells of these
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
  return {
    port: portOf(server),
    async drain() {
      clearInterval(authoritiesWatch);
      for (const file of files) unwatchFile(file, reload);
      leaving = true;
      await sleep(LEAVE);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // an answer that began before may keep its connection
      const closing = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY);
      const enough = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT);
      await closed;
      clearInterval(closing);
      clearTimeout(enough);
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

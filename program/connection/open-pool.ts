import type { Socket } from 'node:net';
import type { buildConnector, Pool } from 'undici';
import connector from 'undici/lib/core/connect.js';
import UndiciPool from 'undici/lib/dispatcher/pool.js';
import { MAX_HEAD, type Trust, tlsOptions } from './kept-connections.ts';

/** Limits of the connections to one address. Times are in milliseconds. */
export interface PoolLimits {
  /** The largest number of connections; null for no limit. */
  readonly connections: number | null;
  /** The time limit for a connection, with the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** How long a connection without a request is kept. */
  readonly idleMs: number;
  /** Opens a connection through a proxy. By default connections are direct. */
  readonly dial?: ((host: string, port: number) => Promise<Socket>) | undefined;
}

/**
 * Kept connections to an origin, `https://host:port`.
 *
 * @throws Error if the text is not an origin
 */
export function openPool(origin: string, trust: Trust, limits: PoolLimits): Pool {
  const { connections, connectTimeoutMs, idleMs, dial } = limits;
  const direct = connectorFor(trust, connectTimeoutMs);
  return new UndiciPool(origin, {
    connections,
    pipelining: 1,
    maxHeaderSize: MAX_HEAD,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // The caller sets the time limit of an answer. A watch sends nothing while nothing changes.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: dial === undefined ? direct : dialed(dial, direct),
  });
}

/** The certificate must be for the trusted name, and not for the name in the Host header. */
function connectorFor(trust: Trust, timeout: number): buildConnector.connector {
  const { serverName } = trust;
  let connect: buildConnector.connector | undefined;
  // The pool reads the files at the first request. If a file cannot be read, the requests fail, and not this call.
  return (options, done) => {
    connect ??= connector({ ...(options.protocol === 'https:' && tlsOptions(trust)), timeout });
    connect(serverName === undefined ? options : { ...options, servername: serverName }, done);
  };
}

/** Opens connections with `dial`, and adds TLS if requested. */
function dialed(dial: NonNullable<PoolLimits['dial']>, secure: buildConnector.connector): buildConnector.connector {
  return (options, done) => {
    const { hostname, port, protocol } = options;
    const isSecure = protocol === 'https:';
    dial(hostname.replace(/^\[|\]$/g, ''), Number(port || (isSecure ? 443 : 80))).then(
      (httpSocket) => (isSecure ? secure({ ...options, httpSocket }, done) : done(null, httpSocket)),
      (error: Error) => done(error, null),
    );
  };
}

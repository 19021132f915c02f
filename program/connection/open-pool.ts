import type { Socket } from 'node:net';
import type { buildConnector, Pool } from 'undici';
import connector from 'undici/lib/core/connect.js';
import UndiciPool from 'undici/lib/dispatcher/pool.js';
import { MAX_HEAD, type Trust, tlsOptions } from './kept-connections.ts';

/** Limits of the connections with one address; times in milliseconds. */
export interface PoolLimits {
  /** null: as many as are asked for. */
  readonly connections: number | null;
  /** Of connecting, with the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
  /** How connections are made where a proxy stands in between; directly by default. */
  readonly dial?: ((host: string, port: number) => Promise<Socket>) | undefined;
}

/**
 * Connections with an origin, `https://host:port`, that are kept.
 *
 * @throws Error where it is none.
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
    // who asks knows how long that may take; a watch is silent for as long as nothing happens
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: dial === undefined ? direct : dialed(dial, direct),
  });
}

/** Connections are for the name that is trusted, not for the one in the Host header. */
function connectorFor(trust: Trust, timeout: number): buildConnector.connector {
  const { serverName } = trust;
  let connect: buildConnector.connector | undefined;
  // not before it is needed: what cannot be read fails the requests, not what makes the pool
  return (options, done) => {
    connect ??= connector({ ...(options.protocol === 'https:' && tlsOptions(trust)), timeout });
    connect(serverName === undefined ? options : { ...options, servername: serverName }, done);
  };
}

/** Makes connections by `dial`, and TLS on them where that is asked for. */
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

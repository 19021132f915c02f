import type { SecureContext } from 'node:tls';
import type { buildConnector, Pool } from 'undici';
import connector from 'undici/lib/core/connect.js';
import UndiciPool from 'undici/lib/dispatcher/pool.js';
import { checkNamed } from './named-certificate.ts';
import { type TlsMaterial, trustingContext } from './secure-context.ts';

/** As whom, and believing whom, connections are made. */
export interface Trust extends TlsMaterial {
  /** The name that the certificate must be for. */
  readonly serverName?: string | undefined;
  /** Believes anybody. */
  readonly insecure?: boolean | undefined;
}

const contexts = new WeakMap<Trust, SecureContext>();

/** Certificates and key, read once: that is two fifths of what opening a connection costs, and each reading is held apart. */
function contextOf(trust: Trust): SecureContext {
  const known = contexts.get(trust);
  if (known !== undefined) return known;
  const context = trustingContext(trust);
  contexts.set(trust, context);
  return context;
}

/** What connections of TLS need to know of {@link Trust}. Throws an Error where its certificates or key cannot be read. */
export function tlsOptions(trust: Trust): { readonly secureContext: SecureContext } {
  const { serverName, insecure } = trust;
  return {
    secureContext: contextOf(trust),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : { checkServerIdentity: checkNamed }),
  };
}

/** Limits of the connections with one address; times in milliseconds. */
export interface PoolLimits {
  /** null: as many as are asked for. */
  readonly connections: number | null;
  /** Of connecting, with the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
}

/** How long the head of an answer may be, in bytes. */
export const MAX_HEAD = 256 << 10;

/** Connections with an origin, `https://host:port`, that are kept. Throws an Error where it is none. */
export function openPool(origin: string, trust: Trust, { connections, connectTimeoutMs, idleMs }: PoolLimits): Pool {
  return new UndiciPool(origin, {
    connections,
    pipelining: 1,
    maxHeaderSize: MAX_HEAD,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // who asks knows how long that may take; a watch is silent for as long as nothing happens
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: connectorFor(trust, connectTimeoutMs),
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

/** Whether connections made by one are as good as those made by the other. */
export function sameTrust(a: Trust, b: Trust): boolean {
  return (
    a === b ||
    (a.ca === b.ca &&
      a.cert === b.cert &&
      a.key === b.key &&
      a.serverName === b.serverName &&
      a.insecure === b.insecure)
  );
}

import { type ClientRequest, type OutgoingHttpHeaders, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Pool } from 'undici';
import { table } from '../base/own-properties.ts';
import { type Trust, tlsOptions } from '../connection/kept-connections.ts';
import { badRequest, StatusError } from '../errors/status-error.ts';

/** Somebody behind this server that answers requests. */
export interface Backend {
  readonly secure: boolean;
  /** An address, or a name that DNS knows. */
  readonly host: string;
  /** Where the name leads, when that is decided already. */
  readonly address?: string;
  readonly port: number;
  /** Limit of connecting, with the TLS handshake, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Absent: the backend is not verified and no certificate is shown. */
  readonly trust?: Trust;
  /** Keeps connections for further requests. Absent: each request has its own, as upgrades have anyway. */
  readonly pool?: Pool;
}

const NOT_VERIFIED: Trust = { insecure: true };

/** `host:port`, as in URLs. */
export function authorityOf({ host, port }: Backend): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const REASONS: Readonly<Record<string, string>> = table({
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  ECONNRESET: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  UND_ERR_CONNECT_TIMEOUT: 'i/o timeout',
});

const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** What the system says of certificates begins so, or is one of these. */
const NOT_BELIEVED =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** The certificate of a backend could not be verified. */
export class UnverifiedBackend extends StatusError {}

/** What a client is told of a backend that cannot be reached (503), or that does not speak HTTP (502). */
export function unreachable(backend: Backend, error: NodeJS.ErrnoException): StatusError {
  const code = error.code ?? '';
  const reason = `dial tcp ${authorityOf(backend)}: ${REASONS[code] ?? error.message}`;
  if (code.startsWith('HPE_') || NOT_HTTP.has(code) || error.message === 'bad upgrade')
    return badGateway(`${authorityOf(backend)} does not answer with HTTP`);
  const Kind = NOT_BELIEVED.test(code) ? UnverifiedBackend : StatusError;
  return new Kind(503, 'ServiceUnavailable', `error trying to reach service: ${reason}`);
}

/** The backend answered, but not with something that can be passed on. */
export function badGateway(message: string): StatusError {
  return new StatusError(502, 'InternalError', `error trying to reach service: ${message}`);
}

/** What a client is told of a request that HTTP clients refuse to send; other errors stay as they are. */
export function malformed(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!code.startsWith('ERR_') && code !== 'UND_ERR_INVALID_ARG') return error;
  return badRequest('the request cannot be passed on: its path or headers are malformed');
}

/** Begins a request, over a connection of its own where the backend keeps none. Throws 400 where path or headers cannot be sent. */
export function openRequest(
  backend: Backend,
  message: { readonly method: string; readonly path: string; readonly headers: OutgoingHttpHeaders | string[] },
): ClientRequest {
  const { secure, host, address = host, port, trust, connectTimeoutMs } = backend;
  const common = { ...message, host: address, port, agent: false, setHost: false } as const;
  let opened: ClientRequest;
  try {
    if (secure) {
      opened = secureRequest({
        ...common,
        servername: isIP(host) === 0 ? host : '',
        ...tlsOptions(trust ?? NOT_VERIFIED),
      });
    } else opened = plainRequest(common);
  } catch (error) {
    throw malformed(error);
  }
  limitConnecting(opened, secure, connectTimeoutMs);
  return opened;
}

function limitConnecting(opened: ClientRequest, secure: boolean, milliseconds: number): void {
  const timer = setTimeout(() => {
    opened.destroy(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }));
  }, milliseconds);
  const clear = (): void => clearTimeout(timer);
  opened.once('socket', (socket) => {
    if (opened.reusedSocket) clear();
    else socket.once(secure ? 'secureConnect' : 'connect', clear);
  });
  opened.once('close', clear);
}

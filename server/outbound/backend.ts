import { type ClientRequest, type OutgoingHttpHeaders, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Pool } from 'undici';
import { table } from '../base/own-properties.ts';
import { MAX_HEAD, type Trust, tlsOptions } from '../connection/kept-connections.ts';
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

/** Where nobody was reached at an address, and why. */
const NOT_REACHED: Readonly<Record<string, string>> = table({
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  UND_ERR_CONNECT_TIMEOUT: 'i/o timeout',
});

/** The connection ended before there was an answer. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
const BAD_UPGRADE = 'bad upgrade';

const BROKEN = 'net/http: HTTP/1.x transport connection broken';

/** What the system says of certificates begins so, or is one of these. */
const NOT_BELIEVED =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** The certificate of a backend could not be verified. */
export class UnverifiedBackend extends StatusError {}

/** Whether the connection with a backend ended before there was an answer. */
export function wasClosed({ code = '', message }: NodeJS.ErrnoException): boolean {
  return CLOSED.has(code) && message !== BAD_UPGRADE;
}

/** Whether something came back that cannot be read as an answer. */
function isGarbled({ code = '', name, message }: NodeJS.ErrnoException): boolean {
  return name === 'HTTPParserError' || code.startsWith('HPE_') || NOT_HTTP.has(code) || message === BAD_UPGRADE;
}

function reasonOf(backend: Backend, error: NodeJS.ErrnoException): string {
  const unreached = NOT_REACHED[error.code ?? ''];
  if (unreached !== undefined) return `dial tcp ${authorityOf(backend)}: ${unreached}`;
  if (isGarbled(error)) return `${BROKEN}: malformed HTTP response`;
  return wasClosed(error) ? 'EOF' : error.message;
}

/** What a client is told of an answer that cannot be passed on for what is wrong with its form. */
export function garbled(detail: string): StatusError {
  return new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${detail}`);
}

/** What a client is told of a backend that cannot be reached, or that does not speak HTTP. */
export function unreachable(backend: Backend, error: NodeJS.ErrnoException): StatusError {
  const Kind = NOT_BELIEVED.test(error.code ?? '') ? UnverifiedBackend : StatusError;
  return new Kind(503, 'ServiceUnavailable', `error trying to reach service: ${reasonOf(backend, error)}`);
}

/** The backend answered, but not with something that can be passed on. */
export function badGateway(message: string): StatusError {
  return new StatusError(502, 'InternalError', `error trying to reach service: ${message}`);
}

/** What a client is told of a request that HTTP clients refuse to send; other errors stay as they are. */
export function malformed(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error;
  if (!code.startsWith('ERR_') && code !== 'UND_ERR_INVALID_ARG') return error;
  return badRequest('the request cannot be passed on: its path or headers are malformed');
}

/** Begins a request, over a connection of its own where the backend keeps none. Throws 400 where path or headers cannot be sent. */
export function openRequest(
  backend: Backend,
  message: { readonly method: string; readonly path: string; readonly headers: OutgoingHttpHeaders | string[] },
): ClientRequest {
  const { secure, host, address = host, port, trust, connectTimeoutMs } = backend;
  const limits = { agent: false, setHost: false, maxHeaderSize: MAX_HEAD } as const;
  const common = { ...message, host: address, port, ...limits };
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

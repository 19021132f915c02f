import { type ClientRequest, type OutgoingHttpHeaders, request as plainRequest } from 'node:http';
import { type Agent, request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { table } from '../base/own-properties.ts';
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
  readonly tls?: BackendTls;
  /** Keeps connections for further requests, and knows what TLS needs. Absent: each request has its own. */
  readonly agent?: Agent;
}

/** PEM texts. Without authorities the backend is not verified. */
export interface BackendTls {
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/** `host:port`, as in URLs. */
export function authorityOf({ host, port }: Backend): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

const REASONS: Readonly<Record<string, string>> = table({
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  ECONNRESET: 'the connection was closed before an answer came',
});

/** What a client is told of a backend that cannot be reached (503), or that does not speak HTTP (502). */
export function unreachable(backend: Backend, error: NodeJS.ErrnoException): StatusError {
  const code = error.code ?? '';
  const reason = `dial tcp ${authorityOf(backend)}: ${REASONS[code] ?? error.message}`;
  if (code.startsWith('HPE_')) return badGateway(`${authorityOf(backend)} does not answer with HTTP`);
  return new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${reason}`);
}

/** The backend answered, but not with something that can be passed on. */
export function badGateway(message: string): StatusError {
  return new StatusError(502, 'InternalError', `error trying to reach service: ${message}`);
}

/** Begins a request, over a connection of its own where the backend keeps none. Throws 400 where path or headers cannot be sent. */
export function openRequest(
  backend: Backend,
  message: { readonly method: string; readonly path: string; readonly headers: OutgoingHttpHeaders },
): ClientRequest {
  const { secure, host, address = host, port, tls, agent, connectTimeoutMs } = backend;
  const common = { ...message, host: address, port, agent: false, setHost: false } as const;
  let opened: ClientRequest;
  try {
    if (agent !== undefined) opened = secureRequest({ ...common, agent });
    else if (secure) {
      opened = secureRequest({
        ...common,
        rejectUnauthorized: tls?.ca !== undefined,
        ...(isIP(host) === 0 ? { servername: host } : { servername: '' }),
        ...(tls?.ca && { ca: tls.ca }),
        ...(tls?.cert && { cert: tls.cert }),
        ...(tls?.key && { key: tls.key }),
      });
    } else opened = plainRequest(common);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_') !== true) throw error;
    throw badRequest('the request cannot be passed on: its path or headers are malformed');
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

import { type ClientRequest, type OutgoingHttpHeaders, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Pool } from 'undici';
import { badRequest, StatusError } from '#base/errors/status-error.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import { InterimHeads, TooManyInterimHeads } from '#program/connection/interim-heads.ts';
import { MAX_HEAD, type Trust, tlsOptions } from '#program/connection/kept-connections.ts';
import { isUnverified, whyFailed } from './why-failed.ts';

/** A server behind this one that answers requests. */
export interface Backend {
  readonly secure: boolean;
  /** An address, or a name in DNS. */
  readonly host: string;
  /** The address of the name, if it is already known. */
  readonly address?: string;
  readonly port: number;
  /** The time limit for a connection, with the TLS handshake, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Absent means that the backend is not verified and gets no certificate. */
  readonly trust?: Trust;
  /**
   * Keeps connections for further requests. If it is absent, each request has a separate connection. An upgrade always
   * has one.
   */
  readonly pool?: Pool;
}

const NOT_VERIFIED: Trust = { insecure: true };

/** `host:port`, in the form of URLs. */
export function authorityOf({ host, port }: Pick<Backend, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The error that the certificate of a backend could not be verified. */
export class UnverifiedBackend extends StatusError {}

/** The error for a client if the form of an answer is invalid, so that it cannot be forwarded. */
export function garbled(detail: string): StatusError {
  return new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${detail}`);
}

/** The error for a client if a backend cannot be reached or does not use HTTP. */
export function unreachable(backend: Backend, error: NodeJS.ErrnoException): StatusError {
  const Kind = isUnverified(error) ? UnverifiedBackend : StatusError;
  const why = whyFailed(error, authorityOf(backend));
  const failure = new Kind(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);
  return Object.assign(failure, { cause: error });
}

/** The error that the backend's answer cannot be forwarded. */
export function badGateway(message: string): StatusError {
  return new StatusError(502, 'InternalError', `error trying to reach service: ${message}`);
}

/** The error for a client if the HTTP library refuses to send its request. Other errors do not change. */
export function malformed(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error;
  if (!code.startsWith('ERR_') && code !== 'UND_ERR_INVALID_ARG') return error;
  return badRequest('the request cannot be passed on: its path or headers are malformed');
}

/**
 * Starts a request. If the backend keeps no connections, it uses a separate one.
 *
 * @throws StatusError (400) if the path or the headers cannot be sent
 */
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
  const interim = new InterimHeads();
  const count = (): void => {
    if (interim.next()) opened.destroy(new TooManyInterimHeads());
  };
  opened.on('continue', count).on('information', count);
  return opened;
}

function limitConnecting(opened: ClientRequest, secure: boolean, milliseconds: number): void {
  const timer = setTimeout(() => {
    opened.destroy(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }));
  }, timerMs(milliseconds));
  const clear = (): void => clearTimeout(timer);
  opened.once('socket', (socket) => {
    if (opened.reusedSocket) clear();
    else socket.once(secure ? 'secureConnect' : 'connect', clear);
  });
  opened.once('close', clear);
}

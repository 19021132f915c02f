import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Trust } from '#program/connection/kept-connections.ts';
import type { Dial } from '#program/connection/proxy.ts';
import type { RunningServer } from '#server/stages/start-server.ts';

/**
 * Connections to the server inside this process. The controllers keep sixty connections, one for each watch. With TLS
 * these would take 10 MB, and a third of the processor time of a start.
 */
export function dialInside(server: RunningServer): (identity: Trust) => Dial {
  return ({ cert }) => {
    const certificate = cert === undefined ? undefined : new X509Certificate(cert).raw;
    return async () => server.connect(certificate) as Socket;
  };
}

import type { Duplex } from 'node:stream';
import type { IncomingRequest } from './exchange.ts';

/** A connection that will use another protocol after this request, at the wish of the client. */
export interface UpgradeSocket {
  readonly socket: Duplex;
  /** The bytes that the client has already sent after its request. */
  readonly head: Buffer;
}

const asked = new WeakMap<IncomingRequest, UpgradeSocket>();

/** Remembers the connection of a request that asks for an upgrade. */
export function noteUpgrade(request: IncomingRequest, socket: UpgradeSocket): void {
  asked.set(request, socket);
}

/** The connection of a request that asks for an upgrade; undefined for other requests. */
export function upgradeOf(request: IncomingRequest): UpgradeSocket | undefined {
  return asked.get(request);
}

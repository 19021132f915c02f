import type { Duplex } from 'node:stream';
import type { IncomingRequest } from './exchange.ts';

/** A connection that the client asked to use for another protocol from here on. */
export interface UpgradeSocket {
  readonly socket: Duplex;
  /** What the client sent behind its request already. */
  readonly head: Buffer;
}

const asked = new WeakMap<IncomingRequest, UpgradeSocket>();

/** Notes that a request asks for its connection. */
export function noteUpgrade(request: IncomingRequest, socket: UpgradeSocket): void {
  asked.set(request, socket);
}

/** The connection of a request that asks for an upgrade; undefined for all others. */
export function upgradeOf(request: IncomingRequest): UpgradeSocket | undefined {
  return asked.get(request);
}

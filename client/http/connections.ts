import type { Trust } from '#program/connection/kept-connections.ts';
import type { Incoming } from './answer.ts';
import type { Outgoing, Upgraded } from './exchange.ts';

/** What a connection is for. Each watch occupies one, so watches have connections apart from those of requests. */
export type Purpose = 'request' | 'watch';

/** Requests under way at once on one server; more wait their turn. Watches are not limited. */
export const MOST_REQUESTS = 12;
/** Kept connections end before a server or a load balancer closes them while a request is sent. */
export const KEEP_ALIVE_MS = 20_000;
export const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Kept connections to one server. When the identity changes new connections are made with it; what is under way on the
 * old ones ends in its own time.
 */
export interface Connections {
  /**
   * Sends one request once and resolves with the head of the answer. Rejects with a ConnectionError when none comes,
   * with what the guard threw, or with the signal's reason.
   */
  exchange(purpose: Purpose, identity: Trust, outgoing: Outgoing): Promise<Incoming>;
  /**
   * Sends a request that asks for another protocol, and resolves with the connection where the server agrees (101), or
   * with its answer. Rejects as `exchange` does; the signal counts until then.
   */
  askForUpgrade(identity: Trust, outgoing: Outgoing, protocol: string): Promise<Upgraded | Incoming>;
  /** Ends everything at once. */
  destroy(): Promise<void>;
}

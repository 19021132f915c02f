import type { Trust } from '#program/connection/kept-connections.ts';
import type { Incoming } from './answer.ts';
import type { Outgoing, Upgraded } from './exchange.ts';

/**
 * The purpose of a connection. Each watch occupies one connection, so watches and requests have separate connections.
 */
export type Purpose = 'request' | 'watch';

/** The largest number of requests to one server at the same time. Other requests wait. Watches are not limited. */
export const MOST_REQUESTS = 12;
/**
 * How long an idle connection is kept. This side must close it before a server or a load balancer does, because they
 * may close it while a request is sent.
 */
export const KEEP_ALIVE_MS = 20_000;
export const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Kept connections to one server. If the identity changes, new requests use new connections with the new identity.
 * Requests in progress end on the old connections.
 */
export interface Connections {
  /**
   * Sends one request once. Resolves to the head of the answer. Rejects with a ConnectionError if no answer comes, with
   * the error of the guard, or with the signal's reason.
   */
  exchange(purpose: Purpose, identity: Trust, outgoing: Outgoing): Promise<Incoming>;
  /**
   * Sends a request for another protocol. Resolves to the connection if the server agrees (101), and otherwise to its
   * answer. Rejects like `exchange`. The signal has an effect only until then.
   */
  askForUpgrade(identity: Trust, outgoing: Outgoing, protocol: string): Promise<Upgraded | Incoming>;
  /** Ends all requests and connections at once. */
  destroy(): Promise<void>;
}

import type { ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';

/** The interval in milliseconds at which a stopping server ends connections that have become idle. */
const END_IDLE_EVERY = 50;

/**
 * The length of a turn of the event loop, in milliseconds, from which connections may arrive after its check for them.
 */
const SHORT_TURN = 5;

/** The key of one connection to a port. A TLS socket does not expose the socket under it. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/**
 * The connections of a TLS server and their requests. The server needs both in order to end connections without losing
 * a request. In HTTP/1.1 only the head of an answer can ask the client to send no more requests. So a server that stops
 * does that in all answers for a while, and then ends the idle connections.
 */
export class Connections {
  readonly #handshakes = new Map<string, Socket>();
  readonly #open = new Set<Socket>();
  readonly #underWay = new Set<ServerResponse>();
  #leaving = false;
  #taken = 0;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#taken++;
      const key = keyOf(socket);
      this.#handshakes.set(key, socket);
      socket.once('close', () => {
        if (this.#handshakes.get(key) === socket) this.#handshakes.delete(key);
      });
    });
    server.on('secureConnection', (socket) => {
      this.#handshakes.delete(keyOf(socket));
      // Connections of HTTP/2 are ended in another way.
      if (socket.alpnProtocol === 'h2') return;
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Call this for each request before the server answers it. */
  began(response: ServerResponse): void {
    this.#underWay.add(response);
    response.on('close', () => this.#underWay.delete(response));
    if (this.#leaving) endWith(response);
  }

  /** From now on, every answer ends its connection, even an answer that has already begun. */
  leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    for (const response of this.#underWay) endWith(response);
  }

  /**
   * Resolves after a whole, short turn of the event loop without a new connection, or after `limitMs`. Then it is
   * unlikely that a connection waits to be accepted.
   */
  async quiet(limitMs: number): Promise<void> {
    const end = performance.now() + limitMs;
    // From here on the measured turns are complete.
    await turn();
    let taken: number;
    let began: number;
    do {
      taken = this.#taken;
      began = performance.now();
      await turn();
    } while (performance.now() < end && (taken !== this.#taken || performance.now() - began > SHORT_TURN));
  }

  /**
   * Ends idle connections after `graceMs`, even unused ones. During this time their clients may send a request and
   * learn that the server stops. Ends all connections after `limitMs`. Resolves when `closed` does.
   */
  async ended(closed: Promise<void>, graceMs: number, limitMs: number): Promise<void> {
    let ending: NodeJS.Timeout | undefined;
    const grace = setTimeout(() => {
      this.#endIdle();
      ending = setInterval(() => this.#endIdle(), END_IDLE_EVERY);
    }, timerMs(graceMs));
    const limit = setTimeout(() => this.endAll(), timerMs(limitMs));
    await closed;
    clearTimeout(grace);
    clearTimeout(limit);
    clearInterval(ending);
  }

  /** Ends all connections at once. */
  endAll(): void {
    for (const socket of this.#handshakes.values()) socket.destroy();
    for (const socket of this.#open) socket.destroy();
  }

  #endIdle(): void {
    const busy = new Set<Socket>();
    for (const { req } of this.#underWay) busy.add(req.socket);
    for (const socket of this.#handshakes.values()) socket.destroy();
    for (const socket of this.#open) if (!busy.has(socket)) socket.destroy();
  }
}

/**
 * Ends the connection of an answer after the answer, even if its head did not announce this. Until then the connection
 * counts as idle, because its client may be sending the next request.
 */
function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
  else if (!response.writableEnded) response.once('finish', () => response.req.socket.destroySoon());
}

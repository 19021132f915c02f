import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on a connection. Nobody sends so many ahead but to have their answers pile up. */
const MOST_WAITING = 100;

/**
 * The requests of each connection, one at a time: Node.js tells of all that a client sends ahead at once and keeps
 * their answers, of any size, until the client has taken those before. Here the next request begins when the system has
 * taken the whole answer before it.
 */
export class Pipeline {
  /** What waits for the answer under way, by connection. */
  readonly #waiting = new WeakMap<Duplex, (() => void)[]>();

  /** Whether an answer is under way on a connection. */
  isBusy(socket: Duplex): boolean {
    return this.#waiting.has(socket);
  }

  /** Calls `begin`, which makes `response`, when all earlier answers are out; cuts connections on which too many wait. */
  enter(socket: Duplex, response: ServerResponse, begin: () => void): void {
    const waiting = this.#waiting.get(socket);
    const start = (): void => {
      response.once('close', () => this.#next(socket));
      begin();
    };
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      start();
    } else if (waiting.length < MOST_WAITING) waiting.push(start);
    else socket.destroy();
  }

  /** Calls `end` when all answers of a connection are out. */
  afterAll(socket: Duplex, end: () => void): void {
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) end();
    else if (waiting.length < MOST_WAITING) waiting.push(end);
    else socket.destroy();
  }

  #next(socket: Duplex): void {
    const next = socket.destroyed || socket.writableEnded ? undefined : this.#waiting.get(socket)?.shift();
    if (next === undefined) this.#waiting.delete(socket);
    else next();
  }
}

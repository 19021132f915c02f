import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * The largest number of requests that wait on a connection. No normal client sends more without reading the answers.
 */
const MOST_WAITING = 100;

/** The largest length of the heads of those requests together, in characters. */
const LONGEST_WAITING = 1 << 20;

/** How long requests have waited for the earlier answers. */
const waits = new WeakMap<object, number>();

/** How long a request waited for the earlier answers on the connection, in milliseconds. */
export function waitedBehindOthers(request: object): number {
  return waits.get(request) ?? 0;
}

/** The requests that wait for the current answer on a connection. */
interface Line {
  readonly waiting: (() => void)[];
  /** The answer to the latest request. */
  last: ServerResponse;
  /** Whether this answer is in progress. */
  lastBegun: boolean;
  /** The length of all heads that have waited since the queue was last empty. */
  length: number;
}

/**
 * Handles the requests of each connection one at a time. If a client pipelines requests, Node.js reports all of them at
 * once, and keeps answers of any size until the client has read the earlier ones. Here the next request starts when the
 * system has accepted the whole previous answer.
 */
export class Pipeline {
  readonly #lines = new WeakMap<Duplex, Line>();

  /** Whether an answer is in progress on a connection. */
  isBusy(socket: Duplex): boolean {
    return this.#lines.has(socket);
  }

  /** The answer to the last request on a connection; undefined if all are answered. */
  last(socket: Duplex): ServerResponse | undefined {
    return this.#lines.get(socket)?.last;
  }

  /**
   * Removes the last request on a connection from the queue. It is the request of this answer. False if it has started.
   */
  leave({ req: { socket } }: ServerResponse): boolean {
    const line = this.#lines.get(socket);
    if (line === undefined || line.lastBegun) return false;
    line.waiting.pop();
    return true;
  }

  /**
   * Calls `begin`, which starts `response`, when all earlier answers are written. Cuts connections on which too many
   * requests wait.
   */
  enter(socket: Duplex, response: ServerResponse, begin: () => void): void {
    const line = this.#lines.get(socket);
    const start = (): void => {
      const own = this.#lines.get(socket);
      if (own?.last === response) own.lastBegun = true;
      response.on('close', () => this.#next(socket));
      begin();
    };
    if (line === undefined) {
      this.#lines.set(socket, { waiting: [], length: 0, last: response, lastBegun: true });
      start();
      return;
    }
    line.length += lengthOf(response.req);
    line.last = response;
    line.lastBegun = false;
    const since = performance.now();
    const waited = (): void => {
      waits.set(response.req, performance.now() - since);
      start();
    };
    if (line.length > LONGEST_WAITING) socket.destroy();
    else this.afterAll(socket, waited);
  }

  /** Calls `end` when all answers of a connection are written. */
  afterAll(socket: Duplex, end: () => void): void {
    const line = this.#lines.get(socket);
    if (line === undefined) end();
    else if (line.waiting.length < MOST_WAITING) line.waiting.push(end);
    else socket.destroy();
  }

  #next(socket: Duplex): void {
    const line = this.#lines.get(socket);
    const next = socket.destroyed || socket.writableEnded ? undefined : line?.waiting.shift();
    if (line?.waiting.length === 0) line.length = 0;
    if (next === undefined) this.#lines.delete(socket);
    else next();
  }
}

function lengthOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}

import type { TLSSocket } from 'node:tls';
import { isTurnLong } from '#base/time/fair-turn.ts';

/** If more request heads than this wait on a connection, its reading pauses. */
const WAITING_HEADS = 16;

/**
 * The largest number of waiting heads in addition to open streams. There can be such heads only if the client resets
 * streams before they are handled.
 */
const RESET_HEADS = 50;

/** The state of a connection whose reading may pause. */
export interface ReadConnection {
  readonly socket: TLSSocket;
  /** The largest number of open streams, and of waiting heads. */
  readonly streams: number;
  waiting: number;
}

/**
 * The handle that reads a connection. HTTP/2 sessions take it from its socket, whose own methods then have no effect.
 */
function handleOf(socket: TLSSocket): { readStop(): void; readStart(): void } | null | undefined {
  return (socket as unknown as { readonly _handle?: { readStop(): void; readStart(): void } | null })._handle;
}

/** Decides which connections of HTTP/2 are not read for now. What their clients send then waits in the system. */
export class PausedReading<T extends ReadConnection> {
  /** Connections that are not read for now. */
  readonly #held = new Set<T>();
  /** Connections without an authenticated request so far. */
  readonly #unproven = new Set<T>();
  /** Whether these are not read in this turn of the event loop. */
  #crowded = false;
  #keeping = false;

  /** Called for a new connection. No request on it is authenticated yet. */
  opened(connection: T): void {
    this.#unproven.add(connection);
  }

  /** Called when a request of the connection was authenticated. */
  proved(connection: T): void {
    this.#unproven.delete(connection);
  }

  closed(connection: T): void {
    this.#unproven.delete(connection);
    this.#held.delete(connection);
  }

  /**
   * Counts a waiting head. If many wait, reading stops, and further requests wait in the system and then at the client.
   * Returns false if more wait than any client needs.
   */
  waits(connection: T): boolean {
    if (++connection.waiting <= WAITING_HEADS) return true;
    if (connection.waiting > connection.streams + RESET_HEADS) return false;
    handleOf(connection.socket)?.readStop();
    this.#held.add(connection);
    this.#keepHeld();
    return true;
  }

  /** Called when a waiting head is handled. A connection whose session has ended is not read again. */
  waitsNoMore(connection: T, isOver: boolean): void {
    connection.waiting--;
    if (connection.waiting > WAITING_HEADS / 2 || !this.#held.delete(connection)) return;
    if (!isOver && !connection.socket.destroyed) handleOf(connection.socket)?.readStart();
  }

  /**
   * Pauses data of unknown senders until the next turn of the event loop if this turn has taken long. Heads are decoded
   * when they are read, and many connections may bring many of them at once.
   */
  readLessOfUnproven(): void {
    if (this.#crowded || !isTurnLong()) return;
    this.#crowded = true;
    for (const { socket } of this.#unproven) handleOf(socket)?.readStop();
    setImmediate(() => {
      this.#crowded = false;
      for (const one of this.#unproven) if (!this.#held.has(one)) handleOf(one.socket)?.readStart();
    });
  }

  /** Node.js continues to read by itself after it has sent an answer. It does this before the present call. */
  #keepHeld(): void {
    if (this.#keeping) return;
    this.#keeping = true;
    setImmediate(() => {
      this.#keeping = false;
      for (const { socket } of this.#held) handleOf(socket)?.readStop();
      if (this.#held.size > 0) this.#keepHeld();
    });
  }
}

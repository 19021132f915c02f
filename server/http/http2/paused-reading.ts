import type { TLSSocket } from 'node:tls';
import { isTurnLong } from '#base/time/fair-turn.ts';

/** The reading of a connection pauses while more request heads than this wait for their turn. */
const WAITING_HEADS = 16;

/**
 * More heads than open streams can wait only if the client resets streams before their turn. At most this many such
 * heads wait.
 */
const RESET_HEADS = 50;

/** The state of a connection whose reading may pause. */
export interface ReadConnection {
  readonly socket: TLSSocket;
  /** The largest number of open streams, and of heads that wait for their turn. */
  readonly streams: number;
  waiting: number;
}

/**
 * The handle that reads a connection. HTTP/2 sessions take it from its socket, whose own methods then have no effect.
 */
function handleOf(socket: TLSSocket): { readStop(): void; readStart(): void } | null | undefined {
  return (socket as unknown as { readonly _handle?: { readStop(): void; readStart(): void } | null })._handle;
}

/** Which connections of HTTP/2 are not read on, so that what their clients send waits in the system. */
export class PausedReading<T extends ReadConnection> {
  /** Connections that are not read on. */
  readonly #held = new Set<T>();
  /** Connections without an authenticated request so far. */
  readonly #unproven = new Set<T>();
  /** Whether these are not read on in this turn of the event loop. */
  #crowded = false;
  #keeping = false;

  /** No request of a new connection is authenticated yet. */
  opened(connection: T): void {
    this.#unproven.add(connection);
  }

  /** A request of the connection was authenticated. */
  proved(connection: T): void {
    this.#unproven.delete(connection);
  }

  closed(connection: T): void {
    this.#unproven.delete(connection);
    this.#held.delete(connection);
  }

  /**
   * Counts a head that waits for its turn. If many wait, reading stops, and further requests wait in the system and
   * then at the client. Returns false if more wait than any client needs.
   */
  waits(connection: T): boolean {
    if (++connection.waiting <= WAITING_HEADS) return true;
    if (connection.waiting > connection.streams + RESET_HEADS) return false;
    handleOf(connection.socket)?.readStop();
    this.#held.add(connection);
    this.#keepHeld();
    return true;
  }

  /** A waiting head has its turn. A connection whose session has ended is not read again. */
  waitsNoMore(connection: T, isOver: boolean): void {
    connection.waiting--;
    if (connection.waiting > WAITING_HEADS / 2 || !this.#held.delete(connection)) return;
    if (!isOver && !connection.socket.destroyed) handleOf(connection.socket)?.readStart();
  }

  /**
   * Heads are decoded when they are read, and many connections may bring many at once. If this turn of the event loop
   * has taken long, data of unknown senders waits for the next turn.
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

  /** Node.js reads on by itself when an answer has gone out, which it does before this. */
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

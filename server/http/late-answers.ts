import type { OutgoingResponse } from '../api/exchange.ts';

/** The shortest time that a client has to read an answer, in milliseconds, even if its own time limit is shorter. */
export const LEAST_TO_READ = 5_000;

/** The interval of checks for late answers, in milliseconds. */
const LOOK_EVERY = 1000;

/**
 * Answers that have ended here but are not yet completely sent to their clients. Almost all are read at once, so each
 * costs an entry and no separate timer.
 */
export class LateAnswers {
  readonly #cutAt = new Map<OutgoingResponse, number>();
  #look: NodeJS.Timeout | undefined;

  /** Cuts the connection some time after the deadline if the client has not read the end of an answer by then. */
  ended(response: OutgoingResponse, deadlineAt: number): void {
    if (response.closed || unsent(response) === 0) return;
    this.#cutAt.set(response, Math.max(performance.now() + LEAST_TO_READ, deadlineAt));
    this.#look ??= setInterval(() => this.#cutLate(), LOOK_EVERY).unref();
  }

  /** The client has the answer, or has disconnected. */
  taken(response: OutgoingResponse): void {
    this.#cutAt.delete(response);
  }

  #cutLate(): void {
    const now = performance.now();
    for (const [response, at] of this.#cutAt) {
      if (at > now) continue;
      this.#cutAt.delete(response);
      response.destroy();
    }
    if (this.#cutAt.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }
}

/** The number of bytes of an ended answer that are not sent yet. */
function unsent(response: OutgoingResponse): number {
  return response.socket?.writableLength ?? response.writableLength;
}

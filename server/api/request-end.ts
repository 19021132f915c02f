import type { Answer } from './answer.ts';

/**
 * The end of a request, and the work that waits for it. A request ends when its client has the answer or has
 * disconnected. A watch, or a request that another server answers, counts as ended when its answer starts.
 */
export class RequestEnd {
  #waiting: ((at: number) => void)[] | undefined;

  /** Runs `done` at the end, once, with the time of the end (`performance.now()`). */
  add(done: (at: number) => void): void {
    if (this.#waiting === undefined) this.#waiting = [done];
    else this.#waiting.push(done);
  }

  /** Called when the chain has answered. */
  answered({ kind }: Answer): void {
    if (kind === 'watch' || kind === 'hijacked') this.come();
  }

  /** Called when the client has the answer or has disconnected. */
  come(at = performance.now()): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    for (const done of waiting) done(at);
  }
}

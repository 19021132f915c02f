/**
 * The time limit of the work that starts in one turn of the event loop, in milliseconds. Other work waits for this
 * time.
 */
const TURN_MS = 4;

/**
 * Starts queued requests of connections after all received bytes have been read. Each owner gets one request in each
 * round. One turn of the event loop starts only a few requests, so that other clients do not wait long. So a client
 * that sends a thousand requests at once delays only itself.
 */
export class InTurns<Owner> {
  readonly #waiting = new Map<Owner, (() => void)[]>();
  #scheduled = false;

  add(owner: Owner, begin: () => void): void {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, [begin]);
    else own.push(begin);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#turn();
      if (this.#waiting.size > 0) this.#schedule();
    });
  }

  #turn(): void {
    const end = performance.now() + TURN_MS;
    for (const [owner, own] of this.#waiting) {
      this.#waiting.delete(owner);
      // This owner comes after all other owners, including those that arrive in the meantime.
      if (own.length > 1) this.#waiting.set(owner, own);
      own.shift()!();
      if (performance.now() > end) return;
    }
  }
}

/** A stream that goes on until it is ended. */
export interface Running {
  /** The server is about to end: what there is to say is said now. */
  leave(): void;
}

/**
 * The watches that are open: one listener for a server that leaves, where each of thousands would have one of its own.
 */
export class RunningWatches {
  readonly #running = new Set<Running>();

  constructor(leaving: AbortSignal) {
    const leave = (): void => {
      for (const one of [...this.#running]) one.leave();
    };
    leaving.addEventListener('abort', leave, { once: true });
  }

  add(one: Running): void {
    this.#running.add(one);
  }

  delete(one: Running): void {
    this.#running.delete(one);
  }
}

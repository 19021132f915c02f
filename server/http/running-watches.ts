/** A stream that continues until a call ends it. */
export interface Running {
  /** Called when the server starts to stop. The stream then sends its last events. */
  leave(): void;
}

/**
 * The open watches. They share one listener for the end of the server, because thousands of watches would need
 * thousands of listeners.
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

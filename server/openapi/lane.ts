/**
 * Runs work one after the other. Even with many callers, only one piece of work runs in a turn.
 */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  /** Does some work when the work before it is done. Settles as the work does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

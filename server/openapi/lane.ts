/** Runs work one after the other. Even with many callers, only one piece of work runs in a turn of the event loop. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  /** Does some work after the previous work has ended. Settles like the work. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

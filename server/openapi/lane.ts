/** Work that is done one after the other: however many ask, no more of it is under way in a turn than one piece. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  /** Does some work when what came before is done; settles as that does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

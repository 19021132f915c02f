/** Heads of a status below 200 that a server may send before the head of its answer. Honest ones send one or two. */
const MAX_INTERIM = 100;

/** A server that sends head after head, and no answer. */
export class TooManyInterimHeads extends Error {
  constructor() {
    super('net/http: too many 1xx informational responses');
  }
}

/** Counts the heads before one answer: true from the first head beyond the limit. */
export class InterimHeads {
  #count = 0;

  next(): boolean {
    return ++this.#count > MAX_INTERIM;
  }
}

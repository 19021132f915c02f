/**
 * The largest number of heads with a status below 200 before the head of an answer. Correct servers send one or two.
 */
const MAX_INTERIM = 100;

/** The error about a server that sends such heads again and again, and no answer. */
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

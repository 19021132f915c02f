import type { Caller } from '#client/caller.ts';
import { Client } from '#client/client.ts';

/**
 * Limits how many calls of several clients run at once. Other calls wait. So calls of other clients over the same
 * connections do not wait for them.
 */
export class FewAtOnce {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** A client whose calls wait if too many are in progress. */
  client(client: Client): Client {
    const caller: Caller = {
      call: (call) => this.#inTurn(() => client.call(call)),
      open: (call) => client.open(call),
      upgrade: (call) => client.upgrade(call),
    };
    return new Client(caller, client.naming);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay < this.#most) this.#underWay++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next waiting call may run.
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }
}

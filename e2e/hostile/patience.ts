import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../replica.ts';

/** How long others may wait beside the attackers, who have the same two cores, in milliseconds; 500 are aimed at. */
const MOST_MS = 3_000;
/** How many times as long as at rest they may wait on one that is busy. */
const BUSY = 40;
const AT_REST_MS = 1_500;

/** Another client, who reads now and then while somebody attacks, and how long it may have to wait. */
export class Patience {
  /** The longest that it may wait, in milliseconds: half a second, and more where the machine is busy with other work. */
  readonly limit: number;
  readonly #replica: Replica;

  private constructor(replica: Replica, limit: number) {
    this.#replica = replica;
    this.limit = limit;
  }

  /** Sees first how long it waits where nothing happens. */
  static async measured(replica: Replica): Promise<Patience> {
    const atRest = new Patience(replica, 0).watch();
    await sleep(AT_REST_MS);
    return new Patience(replica, MOST_MS + BUSY * (await atRest.end()));
  }

  /** Begins to read; `end` gives the longest wait, in milliseconds. */
  watch(): { end(): Promise<number> } {
    let stopped = false;
    let worst = 0;
    const reading = (async () => {
      while (!stopped) {
        const begun = performance.now();
        const { status } = await this.#replica.request('GET', '/api/v1/namespaces/default');
        if (status !== 200) throw new Error(`another client is answered ${status}`);
        worst = Math.max(worst, performance.now() - begun);
        await sleep(20);
      }
    })();
    // an error is seen at the end
    reading.catch(() => {});
    return {
      end: async () => {
        stopped = true;
        await reading;
        return worst;
      },
    };
  }
}

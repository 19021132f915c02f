import { setTimeout as sleep } from 'node:timers/promises';

/** A store that can make certain that what it sent and lost is not done later. */
export interface Settling {
  /** Rejects where it cannot say so now. */
  settle(): Promise<void>;
}

/** Between two tries to reach a store, in milliseconds. */
const AGAIN_MS = 1_000;

/** How many writes are under way, and which stores may still do one whose answer was lost. */
export class WritesUnderWay {
  #count = 0;
  #ended: (() => void) | undefined;
  readonly #losers = new Set<Settling>();

  begin(): void {
    this.#count++;
  }

  /** One is over; where a store is named, it has lost the answer, and may do the write yet. */
  end(loser?: Settling): void {
    if (loser !== undefined) this.#losers.add(loser);
    if (--this.#count === 0) this.#ended?.();
  }

  /**
   * Resolves when none is under way, and none will be done later, to true; to false where that is given up. No other
   * one may begin from now on.
   */
  async over(givenUp: AbortSignal): Promise<boolean> {
    if (this.#count > 0) await new Promise<void>((resolve) => (this.#ended = resolve));
    while (this.#losers.size > 0 && !givenUp.aborted) {
      for (const loser of this.#losers)
        await loser.settle().then(
          () => this.#losers.delete(loser),
          () => sleep(AGAIN_MS, undefined, { signal: givenUp, ref: false }).catch(() => {}),
        );
    }
    return !givenUp.aborted;
  }
}

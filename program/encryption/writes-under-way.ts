import { setTimeout as sleep } from 'node:timers/promises';

/** A store that can ensure that its lost writes are not done later. */
export interface Settling {
  /** Rejects if this cannot be ensured now. */
  settle(): Promise<void>;
}

/** The time between two attempts to reach a store, in milliseconds. */
const AGAIN_MS = 1_000;

/** The number of running writes, and the stores that may still do a write whose answer was lost. */
export class WritesUnderWay {
  #count = 0;
  #ended: (() => void) | undefined;
  readonly #losers = new Set<Settling>();

  begin(): void {
    this.#count++;
  }

  /** Records the end of a write. If a store is given, the answer was lost, and the store may still do the write. */
  end(loser?: Settling): void {
    if (loser !== undefined) this.#losers.add(loser);
    if (--this.#count === 0) this.#ended?.();
  }

  /**
   * Resolves to true when no write is in progress and a lost write can no longer take effect. Resolves to false if
   * `givenUp` is aborted. No other write may start after this call.
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

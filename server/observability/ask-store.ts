import { type LoopStalls, loopStalls, withinTurns } from '#base/time/loop-stalls.ts';

/** A store that can be asked whether it answers. Rejects when it does not. */
export interface AskedStore {
  health(timeoutMs: number): Promise<unknown>;
}

/** A deadline is not believed where the event loop stood still for so much of it, in milliseconds. */
const DOUBTFUL_MS = 100;

/** How often a store is asked at most until it is believed not to answer. */
const TRIES = 10;

/**
 * Asks a store whether it answers within `timeoutMs`: undefined where it does, else what is wrong. Time in which the
 * event loop of this process stood still does not count: the answer may have been there. Every member of the store may
 * take that long; the question is whether any of them answers in this time.
 */
export function askStore(
  store: AskedStore,
  timeoutMs: number,
  stalls: Pick<LoopStalls, 'within'> = loopStalls(),
): Promise<string | undefined> {
  const ask = async (): Promise<string | undefined> => {
    for (let tries = 1; ; tries++) {
      const asked = performance.now();
      try {
        await store.health(timeoutMs);
        return undefined;
      } catch {
        if (tries === TRIES || stalls.within(performance.now() - asked) < DOUBTFUL_MS)
          return 'the store does not answer';
      }
    }
  };
  return withinTurns(ask(), timeoutMs, 'the store does not answer in time');
}

import { type LoopStalls, loopStalls, withinTurns } from '#base/time/loop-stalls.ts';

/** A store that can be asked whether it answers. Rejects if it does not. */
export interface AskedStore {
  health(timeoutMs: number): Promise<unknown>;
}

/** If the event loop stood still for this time, in milliseconds, before a missed deadline, the deadline is ignored. */
const DOUBTFUL_MS = 100;

/** The largest number of probes before the store counts as silent. */
const TRIES = 10;

/**
 * Checks whether a store answers within `timeoutMs`. Resolves to undefined if it does, and otherwise to the problem.
 * Time in which the event loop of this process stood still does not count, because the answer may have arrived then.
 * Every member of the store may take that long. It is enough if one of them answers in this time.
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

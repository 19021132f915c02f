import { fairTurn } from '#base/time/fair-turn.ts';
import type { Steps } from '#base/time/steps.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import type { MaybePromise } from '../../api/maybe-promise.ts';

/** The work between two looks at the clock, in steps. It takes far less than a millisecond. */
const LOOK_EVERY = 20_000;

/** Checks that may take long. They pause so that other requests run. They return their errors at the end. */
export type Checks<T> = Steps<T>;

/**
 * One check that a walk has started. The walk calls it again until it is done, until it has started other checks that
 * must finish first, or until the walk must pause for other requests.
 */
export type Task = () => 'done' | 'more' | 'pause';

/** The error that checks exceed their budget. */
export class OverWorkError extends Error {}

/**
 * The work budget for the checks of one object. A step is about 10 ns of processor time. The number of steps depends
 * only on the object and the schema, so all replicas refuse the same objects.
 */
export class CheckWork {
  #left: number;
  #next: number;
  #slice: TimeSlice | undefined;

  /** @param steps the budget of all checks together */
  constructor(steps: number) {
    this.#left = steps;
    this.#next = steps - LOOK_EVERY;
  }

  get left(): number {
    return this.#left;
  }

  /**
   * Charges the next work, in steps.
   * @throws OverWorkError if the budget is not enough
   */
  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OverWorkError();
  }

  /**
   * Whether the walk must pause for other requests now. The clock is read only after enough steps have been charged.
   */
  get isDue(): boolean {
    if (this.#left > this.#next) return false;
    this.#next = this.#left - LOOK_EVERY;
    this.#slice ??= new TimeSlice();
    return this.#slice.over;
  }

  /** Begins the next time slice after a pause. */
  resumed(): void {
    this.#slice?.begin();
  }
}

/** Pauses checks without a charge when their time slice has ended. `slice` measures the time. */
export function* yieldTurn(slice: TimeSlice): Checks<void> {
  yield;
  slice.begin();
}

/**
 * Runs short checks at once. Long checks run in parts, one part in each turn of the event loop. Only one long check
 * runs in a turn.
 */
export function checkInTurns<T>(checks: Checks<T>): MaybePromise<T> {
  const { done, value } = checks.next();
  return done === true ? (value as T) : goOn(checks);
}

async function goOn<T>(checks: Checks<T>): Promise<T> {
  for (;;) {
    await fairTurn();
    const { done, value } = checks.next();
    if (done === true) return value as T;
  }
}

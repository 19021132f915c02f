import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest time of work without a pause for other requests, in milliseconds. */
export const SLICE_MS = 8;

/** Milliseconds since some moment; never goes back. */
export type Clock = () => number;

const steadyClock: Clock = () => performance.now();

/**
 * Tells long work when to let other requests run. Each call reads the clock, so a caller that needs the result twice
 * keeps it.
 */
export class TimeSlice {
  readonly #clock: Clock;
  #end: number;

  constructor(clock = steadyClock) {
    this.#clock = clock;
    this.#end = clock() + SLICE_MS;
  }

  get over(): boolean {
    return this.#clock() >= this.#end;
  }

  /** Begins the next slice. It is for work that lets other requests run in another way. */
  begin(): void {
    this.#end = this.#clock() + SLICE_MS;
  }

  async yield(): Promise<void> {
    await nextTurn();
    this.begin();
  }
}

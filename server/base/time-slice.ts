import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest stretch of work without letting others run, in milliseconds. */
const SLICE_MS = 8;

/** Tells long work when to let others run. */
export class TimeSlice {
  #end = performance.now() + SLICE_MS;

  get over(): boolean {
    return performance.now() >= this.#end;
  }

  async yield(): Promise<void> {
    await nextTurn();
    this.#end = performance.now() + SLICE_MS;
  }
}

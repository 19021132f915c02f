import { timerMs } from './longest-timer.ts';

/**
 * The interval of checks of the event loop, in milliseconds. If a check is late by this time or more, this is a stall.
 */
const LOOK_MS = 50;

/** Stalls that are remembered. */
const REMEMBERED = 1_000;

interface Stall {
  /** The end of the stall, on the clock of `performance.now()`. */
  readonly end: number;
  readonly ms: number;
}

/**
 * Remembers how long the event loop of this process stood still. The process sees no arriving data while it computes,
 * or while the machine gives it no processor time. A caller that waits for an answer must not blame the other side for
 * that time.
 */
export class LoopStalls {
  readonly #now: () => number;
  #stalls: Stall[] = [];
  #looked: number;

  /** Checks on its own timer, unless `now` is given. With `now`, the owner calls {@link look}. */
  constructor(now?: () => number) {
    this.#now = now ?? (() => performance.now());
    this.#looked = this.#now();
    if (now === undefined) setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Records that the loop turns. */
  look(): void {
    const now = this.#now();
    const late = now - this.#looked - LOOK_MS;
    this.#looked = now;
    if (late < LOOK_MS) return;
    this.#stalls.push({ end: now, ms: late });
    if (this.#stalls.length > REMEMBERED) this.#stalls = this.#stalls.slice(-REMEMBERED / 2);
  }

  /**
   * The time for which the loop stood still within the last `ms` milliseconds, including a stall that is just ending.
   */
  within(ms: number): number {
    const now = this.#now();
    const since = now - ms;
    const current = now - this.#looked - LOOK_MS;
    let still = current < LOOK_MS ? 0 : Math.min(current, ms);
    for (let i = this.#stalls.length - 1; i >= 0; i--) {
      const { end, ms: length } = this.#stalls[i]!;
      if (end <= since) break;
      still += Math.min(length, end - since);
    }
    return still;
  }
}

let own: LoopStalls | undefined;

/** The stalls of this process since the first call. */
export function loopStalls(): LoopStalls {
  own ??= new LoopStalls();
  return own;
}

/**
 * Resolves like `work`, or to `late` if `work` does not resolve within `ms` milliseconds. Time in which the event loop
 * stood still does not count. Rejects like `work`.
 *
 * @example await withinTurns(answer, 1000, undefined) // undefined where there is no answer after a second
 */
export function withinTurns<T>(work: Promise<T>, ms: number, late: T): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = ms;
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      const step = Math.min(left, LOOK_MS);
      timer = setTimeout(() => {
        left -= step;
        if (left > 0) wait();
        // data that arrived during the stall is read after the timers
        else setImmediate(() => setImmediate(() => resolve(late)));
      }, timerMs(step)).unref();
    };
    wait();
    const settled = (settle: () => void): void => {
      clearTimeout(timer);
      left = 0;
      settle();
    };
    work.then(
      (value) => settled(() => resolve(value)),
      (error: unknown) => settled(() => reject(error as Error)),
    );
  });
}

import { timerMs } from '#base/time/longest-timer.ts';
import { FencedError } from '../errors.ts';

/** The time of a clock that only goes forward, in milliseconds. */
export type Clock = () => number;

/**
 * A clock that never goes back and that does not stop while the machine sleeps. It advances by the larger step of the
 * machine's two clocks. A jump of the wall clock can end a lease too early, but never too late.
 */
export function forwardClock(monotonic: Clock = () => performance.now(), wall: Clock = Date.now): Clock {
  let now = 0;
  let [lastMonotonic, lastWall] = [monotonic(), wall()];
  return () => {
    const [m, w] = [monotonic(), wall()];
    now += Math.max(0, m - lastMonotonic, w - lastWall);
    [lastMonotonic, lastWall] = [m, w];
    return now;
  };
}

/**
 * One term of a leader. It begins when the instance takes the lease. It ends when the instance releases the lease, or
 * when the instance cannot renew it in time.
 */
export class Leadership {
  /** The signal aborts when the term has ended. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #renewDeadlineMs: number;
  #deadline: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param since the time when the request that took the lease was sent */
  constructor(clock: Clock, since: number, renewDeadlineMs: number) {
    this.signal = this.#controller.signal;
    this.#clock = clock;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#deadline = since + renewDeadlineMs;
    this.#watchOver();
  }

  /**
   * Whether this instance may act now. It reads the clock, so a process that was frozen notices that its term has
   * ended.
   */
  get holds(): boolean {
    if (!this.signal.aborted && this.#clock() >= this.#deadline) this.end('the lease could not be renewed in time');
    return !this.signal.aborted;
  }

  /** @throws FencedError if this instance may not act now */
  check(): void {
    if (!this.holds) throw new FencedError('this instance is not the leader any more');
  }

  /** @param since the time when the request that renewed the lease was sent */
  renewed(since: number): void {
    if (!this.holds) return;
    this.#deadline = Math.max(this.#deadline, since + this.#renewDeadlineMs);
    this.#watchOver();
  }

  end(why: string): void {
    clearTimeout(this.#timer);
    if (!this.signal.aborted) this.#controller.abort(new FencedError(why));
  }

  #watchOver(): void {
    clearTimeout(this.#timer);
    const left = Math.max(0, this.#deadline - this.#clock());
    this.#timer = setTimeout(
      () => {
        if (this.holds) this.#watchOver();
      },
      timerMs(left + 1),
    );
    this.#timer.unref();
  }
}

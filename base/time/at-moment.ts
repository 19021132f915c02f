import { timerMs } from './longest-timer.ts';

/**
 * Runs something at a moment of `performance.now()`, and never before: a timer counts from the beginning of the turn of
 * the event loop in which it was set, and leaves out parts of milliseconds. Returns what calls it off.
 */
export function atMoment(moment: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(() => (performance.now() < moment ? wait() : run()), timerMs(moment - performance.now()));
  };
  wait();
  return () => clearTimeout(timer);
}

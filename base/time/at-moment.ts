import { timerMs } from './longest-timer.ts';

/**
 * Calls `run` at a moment of `performance.now()`, and never earlier. A plain timer may fire early: it counts from the
 * start of the event loop's turn in which it was set, and drops fractions of milliseconds. Returns a function that
 * cancels the call.
 */
export function atMoment(moment: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(() => (performance.now() < moment ? wait() : run()), timerMs(moment - performance.now()));
  };
  wait();
  return () => clearTimeout(timer);
}

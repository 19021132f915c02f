import { timerMs } from '#base/time/longest-timer.ts';

/** Calls a function at an interval until the signal aborts. If the interval is 0 or less, it never calls. */
export function every(ms: number, signal: AbortSignal, work: () => void): void {
  if (ms <= 0 || signal.aborted) return;
  const timer = setInterval(work, timerMs(ms));
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

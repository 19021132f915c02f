import { timerMs } from '#base/time/longest-timer.ts';

/** Does something now and then until the signal; never, where the time is 0 or less. */
export function every(ms: number, signal: AbortSignal, work: () => void): void {
  if (ms <= 0 || signal.aborted) return;
  const timer = setInterval(work, timerMs(ms));
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

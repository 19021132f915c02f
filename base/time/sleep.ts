import { timerMs } from './longest-timer.ts';

/** Waits for this time, or until the signal aborts. It never rejects. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, timerMs(milliseconds));
    signal.addEventListener('abort', done, { once: true });
  });
}

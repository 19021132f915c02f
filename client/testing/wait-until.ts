import { setTimeout as sleep } from 'node:timers/promises';

/** The longest pause between two checks, in milliseconds. */
const LONGEST_PAUSE = 80;

/**
 * Waits for a condition instead of a time, and resolves with its result; rejects after half a minute. The pauses grow,
 * because most conditions ask a server, and a question costs what a request costs.
 */
export async function waitUntil<T>(what: string, condition: () => T | Promise<T>, withinMs = 30_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (let pause = 10; ; pause = Math.min(pause * 1.2, LONGEST_PAUSE)) {
    const found = await condition();
    if (found) return found;
    if (performance.now() > end) throw new Error(`gave up waiting until ${what}`);
    await sleep(pause);
  }
}

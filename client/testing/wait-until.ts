import { setTimeout as sleep } from 'node:timers/promises';

/** The longest pause between two checks, in milliseconds. */
const LONGEST_PAUSE = 80;

/**
 * Waits until a condition returns a true value, and resolves to this value. The pauses between two checks grow, because
 * most conditions send a request to a server.
 *
 * @param what the condition in words, for the error
 * @throws Error if the condition is not met in time, by default within half a minute
 * @example const pod = await waitUntil('the pod exists', () => informer.get('default/web'))
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

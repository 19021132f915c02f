import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition instead of a time, and resolves with its result; rejects after half a minute. */
export async function waitUntil<T>(what: string, condition: () => T | Promise<T>, withinMs = 30_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (performance.now() > end) throw new Error(`gave up waiting until ${what}`);
    await sleep(10);
  }
}

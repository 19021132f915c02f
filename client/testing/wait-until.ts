import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition instead of a time; rejects after half a minute. */
export async function waitUntil(what: string, condition: () => unknown, withinMs = 30_000): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await condition();
    if (found) return;
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await sleep(10);
  }
}

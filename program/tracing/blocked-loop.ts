/** The interval in milliseconds at which the event loop is checked. */
const BEAT_MS = 50;

/** The shortest delay that counts, in milliseconds. Shorter delays do not count, because timers are not exact. */
const TOLERANCE_MS = 20;

let total = 0;
let expected = Number.POSITIVE_INFINITY;
let watching: NodeJS.Timeout | undefined;

function late(now: number): number {
  const by = now - expected;
  return by > TOLERANCE_MS ? by : 0;
}

/**
 * Begins to watch the event loop of this process. Further calls do nothing. The watch does not keep the process alive.
 */
export function watchLoop(): void {
  if (watching !== undefined) return;
  expected = performance.now() + BEAT_MS;
  watching = setInterval(() => {
    const now = performance.now();
    total += late(now);
    expected = now + BEAT_MS;
  }, BEAT_MS).unref();
}

/** How long the event loop has been blocked since the watch began, up to `now`, in milliseconds. */
export function blockedMs(now = performance.now()): number {
  return watching === undefined ? 0 : total + late(now);
}

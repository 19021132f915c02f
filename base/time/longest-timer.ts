/** The longest timer of Node.js, in milliseconds: a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A timer duration in milliseconds, made from an outside value: a flag, a header, a query, an object. Values that are
 * too long for a timer, or not a number, become the longest duration (24 days). Negative values become 0.
 */
export function timerMs(ms: number): number {
  return ms < 0 ? 0 : ms <= LONGEST_TIMER_MS ? ms : LONGEST_TIMER_MS;
}

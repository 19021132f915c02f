/** The longest time that timers of Node.js take, in milliseconds: what is set for longer comes at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A time for a timer, in milliseconds, of one that comes from outside: a flag, a header, a query, an object. Longer
 * ones than timers take, and what is no number, become the longest (24 days); negative ones 0.
 */
export function timerMs(ms: number): number {
  return ms < 0 ? 0 : ms <= LONGEST_TIMER_MS ? ms : LONGEST_TIMER_MS;
}

/** The longest time that timers of Node.js take, in milliseconds: what is set for longer comes at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

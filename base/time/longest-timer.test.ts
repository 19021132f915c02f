import assert from 'node:assert/strict';
import { LONGEST_TIMER_MS, timerMs } from './longest-timer.ts';

describe('timerMs', () => {
  const times: readonly (readonly [given: number, set: number])[] = [
    [0, 0],
    [1.5, 1.5],
    [-1, 0],
    [LONGEST_TIMER_MS, LONGEST_TIMER_MS],
    [LONGEST_TIMER_MS + 1, LONGEST_TIMER_MS],
    [999_999_999_000, LONGEST_TIMER_MS],
    [Number.POSITIVE_INFINITY, LONGEST_TIMER_MS],
    [Number.NaN, LONGEST_TIMER_MS],
  ];
  for (const [given, set] of times) it(`of ${given} ms`, () => assert.equal(timerMs(given), set));
});

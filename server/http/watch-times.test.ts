import assert from 'node:assert/strict';
import { nextMoment } from './watch-times.ts';

describe('nextMoment', () => {
  const cases: [what: string, willLast: number, moments: number[]][] = [
    ['an instant', 500, [500]],
    ['just until the last bookmark', 2000, [2000]],
    ['a while', 5000, [3000, 5000]],
    ['a minute', 60_000, [58_000, 60_000]],
    ['a minute and the last bookmark', 62_000, [60_000, 62_000]],
    ['some minutes', 150_000, [60_000, 120_000, 148_000, 150_000]],
    ['whole minutes', 120_000, [60_000, 118_000, 120_000]],
  ];
  for (const [what, willLast, moments] of cases) {
    it(`gives the times of bookmarks and the end for a watch that lasts ${what}`, () => {
      const seen: number[] = [];
      while (seen.at(-1) !== willLast) seen.push(nextMoment(seen.at(-1) ?? 0, willLast));
      assert.deepEqual(seen, moments);
    });
  }
});

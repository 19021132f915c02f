import assert from 'node:assert/strict';
import { RestartDelay } from './restart-delay.ts';

describe('RestartDelay', () => {
  const cases: { of: string; served: number[]; delays: number[] }[] = [
    { of: 'is short for a worker that has served for long', served: [3_600_000], delays: [100] },
    { of: 'grows for a worker that ends repeatedly', served: [0, 0, 0, 0], delays: [100, 200, 400, 800] },
    {
      of: 'is at most 30 seconds for a worker that cannot start',
      served: Array(12).fill(0),
      delays: [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000],
    },
    { of: 'is short again for a worker that has recovered', served: [0, 0, 60_000, 10], delays: [100, 200, 100, 200] },
  ];
  for (const { of, served, delays } of cases) {
    it(of, () => {
      const delay = new RestartDelay();
      assert.deepEqual(
        served.map((ms) => delay.next(ms)),
        delays,
      );
    });
  }
});

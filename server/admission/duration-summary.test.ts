import assert from 'node:assert/strict';
import { DurationSummary } from './duration-summary.ts';

const HOUR = 60 * 60 * 1000;

describe('a summary of durations', () => {
  let now: number;
  let summary: DurationSummary;
  const observe = (seconds: number) => summary.timer({ type: 'admit' })(seconds);
  const shown = async () => {
    const { values } = await summary.get();
    return values.map(({ metricName, labels, value }) => [metricName, labels['quantile'], value] as const);
  };

  beforeEach(() => {
    now = 0;
    summary = new DurationSummary({ name: 's', help: 'h', labelNames: ['type'] }, () => now);
  });

  it('tells quantiles to 4 %, the sum and the count', async () => {
    for (let i = 1; i <= 1000; i++) observe(i / 1000);
    const rows = await shown();
    for (const [name, share, value] of rows.slice(0, 3)) {
      assert.equal(name, 's');
      assert.ok(Math.abs(value / Number(share) - 1) < 0.04, `${share}: ${value}`);
    }
    const [sum, count] = rows.slice(3);
    assert.deepEqual([sum![0], Math.round(sum![2] * 10), ...count!], ['s_sum', 5005, 's_count', undefined, 1000]);
  });

  it('forgets what is older than five hours, but goes on counting', async () => {
    observe(1);
    now = 3 * HOUR;
    assert.ok((await shown())[0]![2] > 0.9);
    observe(0.001);
    now = 6 * HOUR;
    assert.ok((await shown())[2]![2] < 0.002);
    now = 20 * HOUR;
    const rows = await shown();
    assert.deepEqual([Number.isNaN(rows[0]![2]), rows[4]![2]], [true, 2]);
  });

  it('takes durations of any size', async () => {
    for (const seconds of [0, 1e-9, 1e9]) observe(seconds);
    assert.equal((await shown())[4]![2], 3);
  });
});

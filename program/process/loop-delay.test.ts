import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { INTERVAL_MS, loopDelay, loopDelayNames } from './loop-delay.ts';

describe('the event loop delay', () => {
  const registry = new Registry();
  before(() => loopDelay(registry));

  async function shown(): Promise<Map<string, number>> {
    const metrics = await registry.getMetricsAsJSON();
    return new Map(metrics.map(({ name, values }) => [name, Number(values[0]!.value)]));
  }

  it('is 0 before the first measurement', async () => {
    assert.deepEqual(await shown(), new Map(loopDelayNames.map((name) => [name, 0])));
  });

  it('is the time that a task blocked the loop, without the timer interval, and is reset when it is read', async () => {
    await shown();
    // After the metrics are collected, the measurement begins with the next run of the timer.
    await sleep(2 * INTERVAL_MS);
    for (const end = performance.now() + 4 * INTERVAL_MS; performance.now() < end; );
    await sleep(2 * INTERVAL_MS);
    const max = (values: Map<string, number>) => values.get('nodejs_eventloop_lag_max_seconds')!;
    const after = await shown();
    assert.ok(max(after) >= (2 * INTERVAL_MS) / 1000, `${max(after)} s after a long task`);
    assert.ok(after.get('nodejs_eventloop_lag_p99_seconds')! <= max(after));
    await sleep(INTERVAL_MS * 2);
    assert.ok(max(await shown()) < max(after), 'the long task was before the last collection');
  });
});

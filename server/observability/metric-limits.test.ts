import assert from 'node:assert/strict';
import { Counter, Histogram, Registry } from 'prom-client';
import type { MetricLimits } from '../config/metrics-options.ts';
import { limitMetrics } from './metric-limits.ts';

async function lines(limits: Partial<MetricLimits>): Promise<string[]> {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({ name: 'requests', help: '-', labelNames: ['verb', 'code'], registers });
  for (const [verb, code] of [
    ['GET', '200'],
    ['PUT', '200'],
    ['PATCH', '200'],
    ['PATCH', '500'],
  ] as const)
    requests.inc({ verb, code });
  const seconds = new Histogram({ name: 'seconds', help: '-', labelNames: ['verb'], buckets: [1], registers });
  for (const [verb, value] of [
    ['GET', 0.5],
    ['PUT', 2],
    ['PATCH', 0.5],
  ] as const)
    seconds.observe({ verb }, value);
  limitMetrics(registry, { disabled: [], allowedValues: new Map(), ...limits });
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('limits of metrics', () => {
  it('leave out what is disabled', async () => {
    assert.deepEqual(await lines({ disabled: ['seconds', 'unknown'] }), [
      'requests{verb="GET",code="200"} 1',
      'requests{verb="PUT",code="200"} 1',
      'requests{verb="PATCH",code="200"} 1',
      'requests{verb="PATCH",code="500"} 1',
    ]);
  });

  it('add up what has no allowed value of its own', async () => {
    const verbs = new Map([['verb', new Set(['GET'])]]);
    const allowedValues = new Map([
      ['requests', verbs],
      ['seconds', verbs],
      ['unknown', verbs],
    ]);
    assert.deepEqual((await lines({ allowedValues })).sort(), [
      'requests{verb="GET",code="200"} 1',
      'requests{verb="unexpected",code="200"} 2',
      'requests{verb="unexpected",code="500"} 1',
      'seconds_bucket{le="+Inf",verb="GET"} 1',
      'seconds_bucket{le="+Inf",verb="unexpected"} 2',
      'seconds_bucket{le="1",verb="GET"} 1',
      'seconds_bucket{le="1",verb="unexpected"} 1',
      'seconds_count{verb="GET"} 1',
      'seconds_count{verb="unexpected"} 2',
      'seconds_sum{verb="GET"} 0.5',
      'seconds_sum{verb="unexpected"} 2.5',
    ]);
  });
});

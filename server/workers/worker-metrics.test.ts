import assert from 'node:assert/strict';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import type { MetricValues } from '../observability/metrics.ts';
import { WorkerMetrics } from './worker-metrics.ts';

/** What a worker says that answered requests in some seconds each and holds some objects. */
function said(requestSeconds: readonly number[], memory: number, objects: number): Promise<MetricValues> {
  const registers = [new Registry()];
  const requests = new Counter({ name: 'requests_total', help: 'x', labelNames: ['verb'], registers });
  const times = new Histogram({ name: 'seconds', help: 'x', buckets: [1], registers });
  const summary = new Summary({ name: 'summary', help: 'x', percentiles: [0.5], registers });
  for (const seconds of requestSeconds) {
    summary.observe(seconds);
    requests.inc({ verb: 'get' });
    times.observe(seconds);
  }
  new Gauge({ name: 'memory', help: 'x', registers }).set(memory);
  new Gauge({ name: 'objects', help: 'x', aggregator: 'max', registers }).set(objects);
  return registers[0]!.getMetricsAsJSON();
}

async function lines(metrics: WorkerMetrics): Promise<string[]> {
  const text = await metrics.text([]);
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('metrics of several workers', () => {
  let metrics: WorkerMetrics;

  beforeEach(async () => {
    metrics = new WorkerMetrics();
    metrics.update(1, await said([0.5, 2], 100, 7));
    metrics.update(2, await said([0.5], 50, 8));
  });

  it('are added up, or joined as each of them says', async () => {
    assert.deepEqual(await lines(metrics), [
      'requests_total{verb="get"} 3',
      'seconds_bucket{le="1"} 2',
      'seconds_bucket{le="+Inf"} 3',
      'seconds_sum 3',
      'seconds_count 3',
      'summary_sum 3',
      'summary_count 3',
      'memory 150',
      'objects 8',
    ]);
  });

  it('keep what a worker counted that is gone, not what it measured', async () => {
    metrics.end(1);
    assert.deepEqual(await lines(metrics), [
      'requests_total{verb="get"} 3',
      'seconds_bucket{le="1"} 2',
      'seconds_bucket{le="+Inf"} 3',
      'seconds_sum 3',
      'seconds_count 3',
      'summary_sum 3',
      'summary_count 3',
      'memory 50',
      'objects 8',
    ]);
  });

  it('go on from there when another one takes its place, however often', async () => {
    for (let i = 0; i < 3; i++) {
      metrics.end(1);
      metrics.update(1, await said([2], 1, 9));
    }
    assert.deepEqual(await lines(metrics), [
      'requests_total{verb="get"} 6',
      'seconds_bucket{le="1"} 2',
      'seconds_bucket{le="+Inf"} 6',
      'seconds_sum 9',
      'seconds_count 6',
      'summary_sum 9',
      'summary_count 6',
      'memory 51',
      'objects 9',
    ]);
  });
});

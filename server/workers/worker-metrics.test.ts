import assert from 'node:assert/strict';
import type { FamilyValues } from '#program/metrics/family-definition.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { whole } from '#program/metrics/testing/whole.ts';
import { writeText } from '#program/metrics/write-text.ts';
import { WorkerMetrics } from './worker-metrics.ts';

const PHASE = { operation: 'CREATE', rejected: 'false', type: 'admit' };

/**
 * The metrics of a worker, as they arrive over the channel: the durations of its requests in seconds, its memory and
 * its number of objects.
 */
function said(seconds: readonly number[], memory: number, objects: number): readonly FamilyValues[] {
  const metrics = new MetricSet();
  const requests = metrics.counter('pod_security_exemptions_total');
  const times = metrics.histogram('apiserver_admission_step_admission_duration_seconds');
  const summary = metrics.summary('apiserver_admission_step_admission_duration_seconds_summary');
  for (const one of seconds) {
    summary.of(PHASE).observe(one);
    requests.inc({ request_operation: 'create', resource: 'pod', subresource: '' });
    times.observe(PHASE, one);
  }
  metrics.gauge('process_open_fds').set({}, memory);
  metrics.gauge('apiserver_storage_objects').set({ resource: 'pods' }, objects);
  metrics.gauge('watch_cache_frontier_revision').set({}, objects);
  return JSON.parse(JSON.stringify(metrics.values())) as readonly FamilyValues[];
}

async function lines(metrics: WorkerMetrics): Promise<string[]> {
  const text = String(await whole(writeText(metrics.all([]))));
  const labels = 'operation="CREATE",rejected="false",type="admit"';
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'))
    .map((line) => line.replace(labels, '').replace('{}', ''));
}

const EXEMPTIONS = 'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""}';
const STEPS = 'apiserver_admission_step_admission_duration_seconds';
const COUNTED = [`${STEPS}_sum 3`, `${STEPS}_count 3`, `${STEPS}_summary_sum 3`, `${STEPS}_summary_count 3`];

describe('metrics of several workers', () => {
  let metrics: WorkerMetrics;

  beforeEach(() => {
    metrics = new WorkerMetrics();
    metrics.update(1, said([0.5, 2], 100, 7));
    metrics.update(2, said([0.5], 50, 8));
  });

  it('are added, or combined as each metric defines', async () => {
    assert.deepEqual(await lines(metrics), [
      ...COUNTED,
      'apiserver_storage_objects{resource="pods"} 8',
      `${EXEMPTIONS} 3`,
      'process_open_fds 150',
      'watch_cache_frontier_revision 7',
    ]);
  });

  it('keep the counters of a worker that has ended, but not its gauges', async () => {
    metrics.end(1);
    const rest = [
      ...COUNTED,
      'apiserver_storage_objects{resource="pods"} 8',
      `${EXEMPTIONS} 3`,
      'process_open_fds 50',
      'watch_cache_frontier_revision 8',
    ];
    assert.deepEqual(await lines(metrics), rest);
    metrics.end(1);
    assert.deepEqual(await lines(metrics), rest);
  });
});

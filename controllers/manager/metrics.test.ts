import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { ManagerMetrics } from './metrics.ts';

describe('metrics of the controller manager', () => {
  const ended = new AbortController();
  after(() => ended.abort());

  /** The metrics of an instance that leads, has worked on a key, and has sent a request. */
  function told(...disabled: string[]): ManagerMetrics {
    const metrics = new ManagerMetrics(createNaming('orch'), disabled, ended.signal);
    metrics.lead('lease', true);
    metrics.called({ method: 'GET', host: 'here', status: undefined, seconds: 0.3 });
    const queue = metrics.observe('queue');
    queue.added?.();
    queue.depth?.(1);
    queue.started?.(0.2);
    queue.finished?.(0.5);
    queue.retried?.();
    return metrics;
  }

  const lines: readonly [family: string, type: string, line: string][] = [
    ['process_cpu_seconds_total', 'counter', 'process_cpu_seconds_total \\S+'],
    ['process_resident_memory_bytes', 'gauge', 'process_resident_memory_bytes \\d+'],
    ['process_start_time_seconds', 'gauge', 'process_start_time_seconds \\S+'],
    ['orch_build_info', 'gauge', 'orch_build_info\\{.*minor="25".*\\} 1'],
    ['workqueue_adds_total', 'counter', 'workqueue_adds_total\\{name="queue"\\} 1'],
    ['workqueue_depth', 'gauge', 'workqueue_depth\\{name="queue"\\} 1'],
    ['workqueue_retries_total', 'counter', 'workqueue_retries_total\\{name="queue"\\} 1'],
    [
      'workqueue_queue_duration_seconds',
      'histogram',
      'workqueue_queue_duration_seconds_bucket\\{name="queue",le="1"\\} 1',
    ],
    ['workqueue_work_duration_seconds', 'histogram', 'workqueue_work_duration_seconds_sum\\{name="queue"\\} 0.5'],
    [
      'rest_client_requests_total',
      'counter',
      'rest_client_requests_total\\{code="<error>",host="here",method="GET"\\} 1',
    ],
    [
      'rest_client_request_duration_seconds',
      'histogram',
      'rest_client_request_duration_seconds_bucket\\{host="here",verb="GET",le="0.25"\\} 0',
    ],
    ['leader_election_master_status', 'gauge', 'leader_election_master_status\\{name="lease"\\} 1'],
  ];
  for (const [family, type, line] of lines)
    it(`${family} is a ${type} and can be disabled`, async () => {
      const text = await told().text();
      assert.match(text, new RegExp(`^# TYPE ${family} ${type}$`, 'm'));
      assert.match(text, new RegExp(`^${line}$`, 'm'));
      assert.doesNotMatch(await told(family).text(), new RegExp(`^# TYPE ${family} `, 'm'));
    });

  it('use the metric names of the naming', async () => {
    const metrics = new ManagerMetrics(createNaming('kubernetes'), [], ended.signal);
    assert.match(await metrics.text(), /^kubernetes_build_info\{/m);
  });
});

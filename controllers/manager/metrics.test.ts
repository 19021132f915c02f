import assert from 'node:assert/strict';
import { ManagerMetrics } from './metrics.ts';

describe('what the controller manager tells of itself', () => {
  const types: readonly [family: string, type: string][] = [
    ['process_cpu_seconds_total', 'counter'],
    ['process_resident_memory_bytes', 'gauge'],
    ['process_start_time_seconds', 'gauge'],
    ['workqueue_adds_total', 'counter'],
    ['workqueue_depth', 'gauge'],
    ['workqueue_queue_duration_seconds', 'histogram'],
    ['workqueue_unfinished_work_seconds', 'gauge'],
    ['rest_client_requests_total', 'counter'],
    ['rest_client_request_duration_seconds', 'histogram'],
    ['leader_election_master_status', 'gauge'],
  ];
  for (const [family, type] of types)
    it(`${family} is a ${type}, unless it is not to be shown`, async () => {
      assert.match(await new ManagerMetrics().text(), new RegExp(`^# TYPE ${family} ${type}$`, 'm'));
      assert.doesNotMatch(await new ManagerMetrics([family]).text(), new RegExp(`^# TYPE ${family} `, 'm'));
    });

  it('processor time only grows', async () => {
    const metrics = new ManagerMetrics();
    const used = async () => Number(/^process_cpu_seconds_total (.*)$/m.exec(await metrics.text())?.[1]);
    const first = await used();
    for (let until = performance.now() + 30; performance.now() < until; );
    const second = await used();
    assert.ok(first > 0 && second > first && second < first * 2 + 10, `${first}, ${second}`);
  });
});

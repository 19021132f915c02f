import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { familyTable } from '../metrics/family-table.ts';
import { MetricSet } from '../metrics/metric-set.ts';
import { whole } from '../metrics/testing/whole.ts';
import { writeText } from '../metrics/write-text.ts';
import { processMetrics } from './process-metrics.ts';
import { processRegistry } from './process-registry.ts';

describe('process metrics', () => {
  const ended = new AbortController();
  after(() => ended.abort());

  async function shown(): Promise<Map<string, number>> {
    const set = new MetricSet();
    processMetrics(set, ended.signal);
    // Node.js reports garbage collections in a later turn of the event loop. The test reads the limits from a file.
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await set.collect();
    const text = String(await whole(writeText(set.inTurn())));
    return new Map([...text.matchAll(/^([^#\s]\S*) (\S+)$/gm)].map(([, name, value]) => [name!, Number(value)]));
  }

  it('are declared in the metrics table', () => {
    const missing = processRegistry()
      .getMetricsAsArray()
      .filter(({ name }) => !familyTable.has(name));
    assert.deepEqual(missing, []);
  });

  it('have the names and labels that dashboards need', async () => {
    const names = new Set([...(await shown()).keys()].map((name) => name.replace(/="[^"]*"/g, '')));
    for (const name of [
      'process_cpu_seconds_total',
      'process_max_fds',
      'process_open_fds',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'process_virtual_memory_bytes',
      'process_virtual_memory_max_bytes',
      'nodejs_version_info{v8,version}',
      'nodejs_eventloop_lag_seconds',
      'nodejs_eventloop_lag_max_seconds',
      'nodejs_eventloop_lag_p50_seconds',
      'nodejs_eventloop_lag_p90_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_eventloop_utilization',
      'nodejs_heap_size_total_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_external_memory_bytes',
      'nodejs_array_buffers_bytes',
      'nodejs_heap_space_size_total_bytes{space}',
      'nodejs_heap_space_size_used_bytes{space}',
      'nodejs_active_resources{type}',
    ])
      assert.ok(names.has(name), `${name} is missing`);
  });

  it('match the values of the operating system', async () => {
    const values = await shown();
    const of = (name: string): number => values.get(name) ?? Number.NaN;
    const { user, system } = process.cpuUsage();
    const used = of('process_cpu_seconds_total');
    assert.ok(used > 0 && used <= (user + system) / 1e6, `${used} s of CPU time`);
    assert.ok(Math.abs(used - of('process_cpu_user_seconds_total') - of('process_cpu_system_seconds_total')) < 1e-3);
    assert.ok(Math.abs(of('process_start_time_seconds') - (Date.now() / 1000 - process.uptime())) < 2);
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    assert.equal(of('process_max_fds'), Number(most));
    assert.ok(of('nodejs_heap_size_used_bytes') < of('process_resident_memory_bytes'));
  });
});

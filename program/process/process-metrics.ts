import { readFile } from 'node:fs/promises';
import { constants, type EventLoopUtilization, PerformanceObserver, performance } from 'node:perf_hooks';
import { table } from '#base/collections/own-properties.ts';
import type { MetricSet } from '../metrics/metric-set.ts';
import { processRegistry } from './process-registry.ts';

const GC_KINDS: Readonly<Record<number, string>> = table({
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
});

/**
 * Metrics of the process and its engine: the metrics that prom-client collects, and those that it lacks. Garbage
 * collections are counted until the signal aborts.
 */
export function processMetrics(metrics: MetricSet, until: AbortSignal): void {
  metrics.include(processRegistry());
  collections(metrics, until);
  metrics.gauge('nodejs_array_buffers_bytes', (gauge) => gauge.set({}, process.memoryUsage().arrayBuffers));
  metrics.gauge('nodejs_version_info').set({ v8: process.versions.v8, version: process.version }, 1);
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  metrics.gauge('nodejs_eventloop_utilization', (gauge) => {
    gauge.set({}, performance.eventLoopUtilization(before).utilization);
    before = performance.eventLoopUtilization();
  });
  void addressSpace(metrics);
}

function collections(metrics: MetricSet, until: AbortSignal): void {
  const durations = metrics.histogram('nodejs_gc_duration_seconds');
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind = 0 } = (entry as { detail?: { kind?: number } }).detail ?? {};
      durations.observe({ kind: GC_KINDS[kind] ?? 'other' }, entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  until.addEventListener('abort', () => observer.disconnect(), { once: true });
}

/** The limit of the process's memory, or -1 for no limit. Without the file, the system reports no value. */
async function addressSpace(metrics: MetricSet): Promise<void> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, most] = /^Max address space +(\S+)/m.exec(limits) ?? [];
  if (most === undefined) return;
  metrics.gauge('process_virtual_memory_max_bytes').set({}, most === 'unlimited' ? -1 : Number(most));
}

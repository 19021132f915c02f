import { readdir, readFile } from 'node:fs/promises';
import {
  constants,
  type EventLoopUtilization,
  monitorEventLoopDelay,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { table } from '../base/own-properties.ts';
import type { MetricSet } from '../metrics/metric-set.ts';

/** How exactly the delay of the event loop is measured, in milliseconds. */
const RESOLUTION_MS = 10;

/** How often what the system tells is read, in milliseconds. */
const READ_EVERY_MS = 5_000;

/** What the system's pages are in bytes on the machines that this runs on. */
const PAGE = 4096;

const GC_KINDS: Readonly<Record<number, string>> = table({
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
});

/** What the process and its engine tell of themselves, measured until the signal. */
export function processMetrics(metrics: MetricSet, until: AbortSignal): void {
  eventLoop(metrics, until);
  collections(metrics, until);
  memory(metrics);
  system(metrics, until);
  metrics.gauge('nodejs_version_info').set({ v8: process.versions.v8, version: process.version }, 1);
  metrics.gauge('nodejs_active_resources', (gauge) => {
    gauge.clear();
    for (const type of process.getActiveResourcesInfo()) gauge.of({ type }).inc();
  });
}

function eventLoop(metrics: MetricSet, until: AbortSignal): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  until.addEventListener('abort', () => delay.disable(), { once: true });
  const late = (nanoseconds: number): number => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  // shown in the order of the names, which this family is not the last of: the whole group is read at once
  let read = { mean: 0, max: 0, p50: 0, p90: 0, p99: 0, busy: 0, at: 0 };
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  const recent = (): typeof read => {
    if (performance.now() - read.at < 100) return read;
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    read = {
      mean: late(delay.mean),
      max: late(delay.max),
      p50: late(delay.percentile(50)),
      p90: late(delay.percentile(90)),
      p99: late(delay.percentile(99)),
      busy: utilization,
      at: performance.now(),
    };
    delay.reset();
    return read;
  };
  metrics.gauge('nodejs_eventloop_lag_seconds', (gauge) => gauge.set({}, recent().mean));
  metrics.gauge('nodejs_eventloop_lag_max_seconds', (gauge) => gauge.set({}, recent().max));
  metrics.gauge('nodejs_eventloop_lag_p50_seconds', (gauge) => gauge.set({}, recent().p50));
  metrics.gauge('nodejs_eventloop_lag_p90_seconds', (gauge) => gauge.set({}, recent().p90));
  metrics.gauge('nodejs_eventloop_lag_p99_seconds', (gauge) => gauge.set({}, recent().p99));
  metrics.gauge('nodejs_eventloop_utilization', (gauge) => gauge.set({}, recent().busy));
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

function memory(metrics: MetricSet): void {
  const { memoryUsage } = process;
  metrics.gauge('process_resident_memory_bytes', (gauge) => gauge.set({}, memoryUsage.rss()));
  metrics.gauge('nodejs_heap_size_total_bytes', (gauge) => gauge.set({}, memoryUsage().heapTotal));
  metrics.gauge('nodejs_heap_size_used_bytes', (gauge) => gauge.set({}, memoryUsage().heapUsed));
  metrics.gauge('nodejs_external_memory_bytes', (gauge) => gauge.set({}, memoryUsage().external));
  metrics.gauge('nodejs_array_buffers_bytes', (gauge) => gauge.set({}, memoryUsage().arrayBuffers));
  metrics.gauge('nodejs_heap_space_size_total_bytes', (gauge) => {
    for (const { space_name, space_size } of getHeapSpaceStatistics())
      gauge.set({ space: space_name.replace(/_space$/, '') }, space_size);
  });
  metrics.gauge('nodejs_heap_space_size_used_bytes', (gauge) => {
    for (const { space_name, space_used_size } of getHeapSpaceStatistics())
      gauge.set({ space: space_name.replace(/_space$/, '') }, space_used_size);
  });
}

/** Reads what the system tells in files beside scrapes, as they could not wait for it. Systems without them tell less. */
function system(metrics: MetricSet, until: AbortSignal): void {
  metrics.counted('process_cpu_seconds_total', (counter) => {
    const { user, system: kernel } = process.cpuUsage();
    counter.of({}).value = (user + kernel) / 1e6;
  });
  const started = Date.now() / 1000 - process.uptime();
  metrics.gauge('process_start_time_seconds').set({}, started);
  const openFiles = metrics.gauge('process_open_fds');
  const mostFiles = metrics.gauge('process_max_fds');
  const virtual = metrics.gauge('process_virtual_memory_bytes');
  const mostVirtual = metrics.gauge('process_virtual_memory_max_bytes');
  const limit = (text: string, name: string): number => {
    const [, soft = ''] = new RegExp(`^${name} +(\\S+)`, 'm').exec(text) ?? [];
    return soft === 'unlimited' ? -1 : Number(soft);
  };
  const read = async (): Promise<void> => {
    try {
      openFiles.set({}, (await readdir('/proc/self/fd')).length);
      virtual.set({}, Number((await readFile('/proc/self/statm', 'utf8')).split(' ')[0]) * PAGE);
      const limits = await readFile('/proc/self/limits', 'utf8');
      mostFiles.set({}, limit(limits, 'Max open files'));
      mostVirtual.set({}, limit(limits, 'Max address space'));
    } catch {
      for (const gauge of [openFiles, mostFiles, virtual, mostVirtual]) gauge.clear();
    }
  };
  void read();
  const timer = setInterval(read, READ_EVERY_MS).unref();
  until.addEventListener('abort', () => clearInterval(timer), { once: true });
}

import { readdir, readFile } from 'node:fs/promises';
import {
  constants,
  type EventLoopUtilization,
  monitorEventLoopDelay,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { table } from '#base/collections/own-properties.ts';
import type { MetricSet } from '../metrics/metric-set.ts';

/** How exactly the delay of the event loop is measured, in milliseconds. */
const RESOLUTION_MS = 10;

/** How often what the system tells is read, in milliseconds. */
const READ_EVERY_MS = 5_000;

/** Readings within so many milliseconds are of one scrape. */
const TOGETHER_MS = 100;

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
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  const recent = readTogether(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    const read = {
      mean: late(delay.mean),
      max: late(delay.max),
      p50: late(delay.percentile(50)),
      p90: late(delay.percentile(90)),
      p99: late(delay.percentile(99)),
      busy: utilization,
    };
    delay.reset();
    return read;
  });
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
  const usage = readTogether(() => process.memoryUsage());
  metrics.gauge('process_resident_memory_bytes', (gauge) => gauge.set({}, usage().rss));
  metrics.gauge('nodejs_heap_size_total_bytes', (gauge) => gauge.set({}, usage().heapTotal));
  metrics.gauge('nodejs_heap_size_used_bytes', (gauge) => gauge.set({}, usage().heapUsed));
  metrics.gauge('nodejs_external_memory_bytes', (gauge) => gauge.set({}, usage().external));
  metrics.gauge('nodejs_array_buffers_bytes', (gauge) => gauge.set({}, usage().arrayBuffers));
  const spaces = readTogether(() =>
    getHeapSpaceStatistics().map((space) => ({ ...space, space: space.space_name.replace(/_space$/, '') })),
  );
  metrics.gauge('nodejs_heap_space_size_total_bytes', (gauge) => {
    for (const { space, space_size } of spaces()) gauge.set({ space }, space_size);
  });
  metrics.gauge('nodejs_heap_space_size_used_bytes', (gauge) => {
    for (const { space, space_used_size } of spaces()) gauge.set({ space }, space_used_size);
  });
}

/** Families are shown one by one in the order of their names: what one reading tells of several is read once a scrape. */
function readTogether<T extends object>(read: () => T): () => T {
  let known: T | undefined;
  let at = 0;
  return () => {
    const now = performance.now();
    if (known === undefined || now - at >= TOGETHER_MS) [known, at] = [read(), now];
    return known;
  };
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

import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { loopDelay, loopDelayNames } from './loop-delay.ts';

/**
 * Metrics that this project measures itself, because prom-client reports less. If the engine reports several
 * collections at once, prom-client counts only the first. It does not name the version of the engine. Its shortest loop
 * delay is only the interval of the measurement.
 */
const NOT_OF_PROM_CLIENT = [
  ...['nodejs_gc_duration_seconds', 'nodejs_version_info', 'nodejs_eventloop_lag_min_seconds'],
  ...loopDelayNames,
];

/** The longest interval of a timer. With it, prom-client's measurement of the event loop does not wake the process. */
const NEVER_MS = 2 ** 31 - 1;

let registry: Registry | undefined;

/**
 * The registry of the metrics that prom-client collects about this process (`collectDefaultMetrics`). A process has
 * only one registry, even with several servers. Some values are differences between two collections, so they allow only
 * one reader. The collection cannot be stopped.
 */
export function processRegistry(): Registry {
  if (registry !== undefined) return registry;
  registry = new Registry();
  const before = process.cpuUsage();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of NOT_OF_PROM_CLIENT) registry.removeSingleMetric(name);
  loopDelay(registry);
  // The counters start here.
  addSeconds(registry, 'process_cpu_user_seconds_total', before.user);
  addSeconds(registry, 'process_cpu_system_seconds_total', before.system);
  addSeconds(registry, 'process_cpu_seconds_total', before.user + before.system);
  return registry;
}

function addSeconds(to: Registry, name: string, microseconds: number): void {
  const counter = to.getSingleMetric(name);
  if (counter instanceof Counter) counter.inc(microseconds / 1e6);
}

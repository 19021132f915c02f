import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/**
 * The interval in milliseconds at which a timer measures the delay of the event loop. Each measurement wakes the
 * process. With 10 ms this took 0.4 % of a processor in a process at rest.
 */
export const INTERVAL_MS = 100;

type Times = ReturnType<typeof monitorEventLoopDelay>;

/** The metrics, and how each is computed from the nanoseconds between two measurements. */
const METRICS: ReadonlyMap<string, (times: Times) => number> = new Map([
  ['nodejs_eventloop_lag_mean_seconds', ({ mean }) => beyondInterval(mean)],
  ['nodejs_eventloop_lag_stddev_seconds', ({ stddev }) => finite(stddev) / 1e9],
  ['nodejs_eventloop_lag_max_seconds', ({ max }) => beyondInterval(max)],
  ['nodejs_eventloop_lag_p50_seconds', (times) => beyondInterval(times.percentile(50))],
  ['nodejs_eventloop_lag_p90_seconds', (times) => beyondInterval(times.percentile(90))],
  ['nodejs_eventloop_lag_p99_seconds', (times) => beyondInterval(times.percentile(99))],
]);

/** The names of the metrics that {@link loopDelay} registers. */
export const loopDelayNames: readonly string[] = [...METRICS.keys()];

/**
 * Measures how late the event loop is. Each collection of the registry shows the time since the collection before. The
 * values of prom-client are not used. They contain the interval of its timer, and this timer wakes the process too
 * often.
 */
export function loopDelay(registry: Registry): void {
  const times = monitorEventLoopDelay({ resolution: INTERVAL_MS });
  times.enable();
  const gauges: [Gauge, (times: Times) => number][] = [];
  const collect = () => {
    for (const [gauge, read] of gauges) gauge.set(read(times));
    times.reset();
  };
  for (const [name, read] of METRICS) {
    // The first gauge sets the values of all gauges, so that they belong to the same time.
    const options = { name, help: name, registers: [registry], aggregator: 'max' as const };
    gauges.push([new Gauge(gauges.length === 0 ? { ...options, collect } : options), read]);
  }
}

/** The delay of a timer in seconds, from the nanoseconds between two runs of it. */
function beyondInterval(nanoseconds: number): number {
  return Math.max(0, finite(nanoseconds) / 1e9 - INTERVAL_MS / 1000);
}

/** 0 before the first measurement. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

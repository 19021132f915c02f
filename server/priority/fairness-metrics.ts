import type { MetricSet } from '../metrics/metric-set.ts';
import type { Bounds, FairQueues, Work } from './fair-queues.ts';
import type { Classified, FlowControl, FlowObserver } from './flow-control.ts';

/** The series of one schema and level, found once. */
type Series = ReturnType<typeof seriesOf>;

function seriesOf(metrics: MetricSet, flow_schema: string, priority_level: string) {
  const labels = { flow_schema, priority_level };
  const waited = metrics.histogram('apiserver_flowcontrol_request_wait_duration_seconds');
  return {
    labels,
    executing: metrics.gauge('apiserver_flowcontrol_current_executing_requests').of(labels),
    inUse: metrics.gauge('apiserver_flowcontrol_request_concurrency_in_use').of(labels),
    waiting: metrics.gauge('apiserver_flowcontrol_current_inqueue_requests').of(labels),
    dispatched: metrics.counter('apiserver_flowcontrol_dispatched_requests_total').of(labels),
    executed: metrics.histogram('apiserver_flowcontrol_request_execution_seconds').of({ ...labels, type: 'regular' }),
    queueLength: metrics.histogram('apiserver_flowcontrol_request_queue_length_after_enqueue').of(labels),
    waited: waited.of({ ...labels, execute: 'true' }),
    seats: metrics.histogram('apiserver_flowcontrol_work_estimated_seats').of(labels),
  };
}

type Queues = Pick<FairQueues<unknown>, 'limits' | 'virtualTime' | 'starts'>;

/** What is told of each level; virtual times in seat-seconds. */
const OF_LEVELS: readonly (readonly [LevelGauge, (queues: Queues) => number])[] = [
  ['apiserver_flowcontrol_request_concurrency_limit', ({ limits }) => limits.seats],
  ['apiserver_flowcontrol_current_r', ({ virtualTime }) => virtualTime / 1000],
  ['apiserver_flowcontrol_dispatch_r', ({ starts }) => starts.dispatchR / 1000],
  ['apiserver_flowcontrol_latest_s', ({ starts }) => starts.latestS / 1000],
];
const BOUNDS_OF_LEVELS: readonly (readonly [BoundsGauge, (queues: Queues) => Bounds | undefined])[] = [
  ['apiserver_flowcontrol_next_s_bounds', ({ starts }) => starts.next],
  ['apiserver_flowcontrol_next_discounted_s_bounds', ({ starts }) => starts.nextDiscounted],
];
type LevelGauge = `apiserver_flowcontrol_${'request_concurrency_limit' | 'current_r' | 'dispatch_r' | 'latest_s'}`;
type BoundsGauge = `apiserver_flowcontrol_next_${'s' | 'discounted_s'}_bounds`;

/** Counts what becomes of requests that are served in turns. */
export function fairnessMetrics(metrics: MetricSet, control: FlowControl): FlowObserver {
  const known = new WeakMap<Classified['schema'], Series>();
  const of = ({ schema, level }: Classified): Series => {
    let series = known.get(schema);
    if (series === undefined) known.set(schema, (series = seriesOf(metrics, schema.name, level.name)));
    return series;
  };
  const refused = metrics.counter('apiserver_flowcontrol_rejected_requests_total');
  const waited = metrics.histogram('apiserver_flowcontrol_request_wait_duration_seconds');
  for (const [family, levelValue] of OF_LEVELS)
    metrics.gauge(family, (gauge) => {
      // levels come and go
      gauge.clear();
      for (const { name, queues } of control.levels)
        if (queues !== undefined) gauge.set({ priority_level: name }, levelValue(queues));
    });
  for (const [family, boundsOf] of BOUNDS_OF_LEVELS)
    metrics.gauge(family, (gauge) => {
      gauge.clear();
      for (const { name: priority_level, queues } of control.levels) {
        const bounds = queues && boundsOf(queues);
        if (bounds === undefined) continue;
        gauge.set({ bound: 'min', priority_level }, bounds.min / 1000);
        gauge.set({ bound: 'max', priority_level }, bounds.max / 1000);
      }
    });
  return {
    queued(classified, length) {
      const series = of(classified);
      series.waiting.inc();
      series.queueLength.observe(length);
    },
    waited(classified, milliseconds, wasQueued, served) {
      const series = of(classified);
      if (wasQueued) series.waiting.dec();
      if (served) series.waited.observe(milliseconds / 1000);
      else waited.observe({ ...series.labels, execute: 'false' }, milliseconds / 1000);
    },
    refused: (classified, reason) => refused.inc({ ...of(classified).labels, reason }),
    began(classified, work: Work) {
      const series = of(classified);
      series.dispatched.inc();
      series.executing.inc();
      series.inUse.inc(work.seats);
      series.seats.observe(Math.max(work.seats, work.finalSeats));
    },
    ended(classified, work, milliseconds) {
      const series = of(classified);
      series.executing.dec();
      series.inUse.dec(work.seats);
      series.executed.observe(milliseconds / 1000);
    },
  };
}

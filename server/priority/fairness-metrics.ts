import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { FairQueues } from './fair-queues.ts';
import type { Classified, FlowControl, FlowObserver, Level } from './flow-control.ts';
import type { Bounds } from './starts.ts';
import { Timeline } from './timeline.ts';

/** The series of one schema and level. They are looked up once. */
type Series = ReturnType<typeof seriesOf>;

function seriesOf(metrics: MetricSet, flow_schema: string, level: Level, use: LevelUse | undefined) {
  const priority_level = level.name;
  const labels = { flow_schema, priority_level };
  const waited = metrics.histogram('apiserver_flowcontrol_request_wait_duration_seconds');
  return {
    labels,
    use,
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

/** How much of a level is in use, over time. */
type LevelUse = ReturnType<typeof useOf>;

const REQUESTS = 'apiserver_flowcontrol_priority_level_request_utilization';
const SEATS = 'apiserver_flowcontrol_priority_level_seat_utilization';
const SIDES = 'apiserver_flowcontrol_read_vs_write_current_requests';

function useOf(metrics: MetricSet, level: Level) {
  const limits = () => level.queues?.limits;
  const of = (family: typeof REQUESTS | typeof SEATS, phase: 'executing' | 'waiting', limit: () => number) =>
    new Timeline(metrics.histogram(family).of({ phase, priority_level: level.name }), limit, performance.now());
  const all = () => limits()?.seats ?? 1;
  const executing = of(REQUESTS, 'executing', all);
  const seats = of(SEATS, 'executing', all);
  const change = (requests: number, by: number, now: number) => {
    executing.add(requests, now);
    seats.add(by, now);
  };
  return {
    executing,
    seats,
    waiting: of(REQUESTS, 'waiting', () => (limits()?.queues ?? 0) * (limits()?.queueLength ?? 0)),
    began: (by: number, now: number) => change(1, by, now),
    ended: (by: number, now: number) => change(-1, -by, now),
  };
}

type Queues = Pick<FairQueues<unknown>, 'limits' | 'virtualTime' | 'starts'>;

/** The gauges of each level; virtual times in seat-seconds. */
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

/** Counts the results of requests under fair sharing. */
export function fairnessMetrics(metrics: MetricSet, control: FlowControl): FlowObserver {
  const known = new WeakMap<Classified['schema'], Series>();
  const of = ({ schema, level }: Classified): Series => {
    let series = known.get(schema);
    if (series === undefined) known.set(schema, (series = seriesOf(metrics, schema.name, level, useOfLevel(level))));
    return series;
  };
  const uses = new WeakMap<Level, LevelUse>();
  // An exempt level has no limit, so there is no share.
  const useOfLevel = (level: Level): LevelUse | undefined => {
    if (level.queues === undefined) return undefined;
    let use = uses.get(level);
    if (use === undefined) uses.set(level, (use = useOf(metrics, level)));
    return use;
  };
  const upToNow = (timelinesOf: (use: LevelUse) => readonly Timeline[]) => () => {
    const now = performance.now();
    for (const level of control.levels) {
      const use = useOfLevel(level);
      for (const timeline of use === undefined ? [] : timelinesOf(use)) timeline.catchUp(now);
    }
  };
  metrics.histogram(
    REQUESTS,
    upToNow(({ executing, waiting }) => [executing, waiting]),
  );
  metrics.histogram(
    SEATS,
    upToNow(({ seats }) => [seats]),
  );
  metrics.histogram(SIDES, () => {
    const now = performance.now();
    for (const { mutating, reading } of Object.values(sides)) for (const one of [mutating, reading]) one.catchUp(now);
  });
  const side = (phase: 'executing' | 'waiting', request_kind: 'readOnly' | 'mutating') =>
    new Timeline(metrics.histogram(SIDES).of({ phase, request_kind }), () => control.total, performance.now());
  const sides = {
    executing: { reading: side('executing', 'readOnly'), mutating: side('executing', 'mutating') },
    waiting: { reading: side('waiting', 'readOnly'), mutating: side('waiting', 'mutating') },
  };
  const refused = metrics.counter('apiserver_flowcontrol_rejected_requests_total');
  const waited = metrics.histogram('apiserver_flowcontrol_request_wait_duration_seconds');
  for (const [family, levelValue] of OF_LEVELS)
    metrics.gauge(family, (gauge) => {
      // Levels are added and removed.
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
    side: (phase, kind, by, at) => sides[phase][kind].add(by, at),
    queued(classified, length) {
      const series = of(classified);
      series.waiting.inc();
      series.use?.waiting.add(1, performance.now());
      series.queueLength.observe(length);
    },
    waited(classified, milliseconds, wasQueued, served) {
      const series = of(classified);
      if (wasQueued) {
        series.waiting.dec();
        series.use?.waiting.add(-1, performance.now());
      }
      if (served) series.waited.observe(milliseconds / 1000);
      else waited.observe({ ...series.labels, execute: 'false' }, milliseconds / 1000);
    },
    refused: (classified, reason) => refused.inc({ ...of(classified).labels, reason }),
    began(classified, work, at) {
      const series = of(classified);
      series.dispatched.inc();
      series.executing.inc();
      series.inUse.inc(work.seats);
      series.use?.began(work.seats, at);
      series.seats.observe(Math.max(work.seats, work.finalSeats));
    },
    ended(classified, work, beganAt, at) {
      const series = of(classified);
      series.executing.dec();
      series.inUse.dec(work.seats);
      series.use?.ended(work.seats, at);
      series.executed.observe((at - beganAt) / 1000);
    },
  };
}

import type { Term } from '#controllers/controller.ts';
import type { Pending } from './queue/scheduling-queue.ts';

export type Result = 'scheduled' | 'unschedulable' | 'error';

/** Values that are computed when metrics are read. */
export interface SchedulingSizes {
  readonly pending: Pending;
  readonly gated: number;
  readonly nodes: number;
  readonly pods: number;
  readonly assumed: number;
  /** For each profile, the plug-ins that refused nodes to waiting pods, with the number of these pods. */
  readonly refused: Iterable<readonly [profile: string, plugin: string, pods: number]>;
}

/** Attempts up to this number have separate series. */
const MOST_ATTEMPTS = 15;

/** Counts the results for pods, with the usual metric names of schedulers. */
export class SchedulingMetrics {
  readonly #metrics: Term['metrics'];

  /** @param sizes the present numbers. Later terms of a process also use the function of the first term. */
  constructor(metrics: Term['metrics'], sizes: () => SchedulingSizes | undefined) {
    this.#metrics = metrics;
    metrics.gauge('scheduler_pending_pods', (gauge) => {
      const { pending, gated } = sizes() ?? { pending: { active: 0, backoff: 0, unschedulable: 0 }, gated: 0 };
      for (const [queue, count] of Object.entries({ ...pending, gated })) gauge.set({ queue }, count);
    });
    metrics.gauge('scheduler_scheduler_cache_size', (gauge) => {
      const { nodes, pods, assumed } = sizes() ?? { nodes: 0, pods: 0, assumed: 0 };
      for (const [type, count] of Object.entries({ nodes, pods, assumed_pods: assumed })) gauge.set({ type }, count);
    });
    const shown = new Set<string>();
    metrics.gauge('scheduler_unschedulable_pods', (gauge) => {
      const counts = new Map(
        [...(sizes()?.refused ?? [])].map(([profile, plugin, pods]) => [`${profile}\n${plugin}`, pods]),
      );
      for (const key of counts.keys()) shown.add(key);
      for (const key of shown) {
        const [profile = '', plugin = ''] = key.split('\n');
        gauge.set({ profile, plugin }, counts.get(key) ?? 0);
      }
    });
  }

  /** Counts a pod that entered a queue. */
  incoming(queue: string, event: string): void {
    this.#metrics.counter('scheduler_queue_incoming_pods_total').inc({ queue, event });
  }

  chosen(seconds: number): void {
    this.#metrics.histogram('scheduler_scheduling_algorithm_duration_seconds').observe({}, seconds);
  }

  attempted(profile: string, result: Result, seconds: number): void {
    this.#metrics.counter('scheduler_schedule_attempts_total').inc({ profile, result });
    this.#metrics.histogram('scheduler_scheduling_attempt_duration_seconds').observe({ profile, result }, seconds);
  }

  /** Counts a pod that was assigned this many seconds after it was first seen. */
  assigned(attempts: number, seconds: number): void {
    this.#metrics.histogram('scheduler_pod_scheduling_attempts').observe({}, attempts);
    const label = attempts > MOST_ATTEMPTS ? `${MOST_ATTEMPTS}+` : String(attempts);
    this.#metrics.histogram('scheduler_pod_scheduling_sli_duration_seconds').observe({ attempts: label }, seconds);
  }

  preempted(victims: number): void {
    this.#metrics.counter('scheduler_preemption_attempts_total').inc({});
    this.#metrics.histogram('scheduler_preemption_victims').observe({}, victims);
  }
}

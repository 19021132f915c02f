import type { Naming } from '#base/naming/naming.ts';
import type { Attempt } from '#client/http/transport.ts';
import type { QueueObserver, WorkQueue } from '#client/work/work-queue.ts';
import { RELEASE } from '#program/flags/release.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { TEXT_TYPE, writeText } from '#program/metrics/write-text.ts';
import { buildInfo } from '#program/process/build-info.ts';
import { processMetrics } from '#program/process/process-metrics.ts';

/** The metrics of the manager, with the usual names of such programs. */
export class ManagerMetrics {
  readonly contentType = TEXT_TYPE;
  readonly #metrics: MetricSet;
  readonly #queues = new Map<string, WorkQueue>();

  /** @param until when it aborts, the metrics of the process end */
  constructor(naming: Pick<Naming, 'translate'>, disabled: readonly string[], until: AbortSignal) {
    const limits = { disabled, allowedValues: new Map() };
    this.#metrics = new MetricSet({ limits, release: RELEASE, translate: (text) => naming.translate(text) });
    processMetrics(this.#metrics, until);
    buildInfo(this.#metrics);
    const queues = this.#queues;
    this.#metrics.gauge('workqueue_unfinished_work_seconds', (gauge) => {
      for (const [name, queue] of queues) gauge.set({ name }, queue.unfinished.sum);
    });
    this.#metrics.gauge('workqueue_longest_running_processor_seconds', (gauge) => {
      for (const [name, queue] of queues) gauge.set({ name }, queue.unfinished.longest);
    });
  }

  /** The families in which controllers count. */
  get families(): MetricSet {
    return this.#metrics;
  }

  /** Counts the objects in copies of collections. */
  countObjects(size: () => number): void {
    this.#metrics.gauge('controller_manager_cached_objects', (gauge) => gauge.set({}, size()));
  }

  lead(name: string, leads: boolean): void {
    this.#metrics.gauge('leader_election_master_status').set({ name }, leads ? 1 : 0);
  }

  /** Counts a request of this instance. */
  called({ method, host, status, seconds }: Attempt): void {
    const code = status === undefined ? '<error>' : String(status);
    this.#metrics.counter('rest_client_requests_total').inc({ code, host, method });
    this.#metrics.histogram('rest_client_request_duration_seconds').observe({ host, verb: method }, seconds);
  }

  /** An observer of queues. A call of `is` sets the queue that it observes from then on. */
  observe(name: string): QueueObserver & { is(queue: WorkQueue): void } {
    const adds = this.#metrics.counter('workqueue_adds_total').of({ name });
    const retries = this.#metrics.counter('workqueue_retries_total').of({ name });
    const depth = this.#metrics.gauge('workqueue_depth').of({ name });
    const waited = this.#metrics.histogram('workqueue_queue_duration_seconds').of({ name });
    const worked = this.#metrics.histogram('workqueue_work_duration_seconds').of({ name });
    depth.set(0);
    return {
      is: (queue) => this.#queues.set(name, queue),
      added: () => adds.inc(),
      depth: (keys) => depth.set(keys),
      started: (seconds) => waited.observe(seconds),
      finished: (seconds) => worked.observe(seconds),
      retried: () => retries.inc(),
    };
  }

  async text(): Promise<string> {
    const pieces: Buffer[] = [];
    await this.#metrics.collect();
    for await (const piece of writeText(this.#metrics.inTurn())) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }
}

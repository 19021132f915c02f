import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Attempt } from '../../client/http/transport.ts';
import type { QueueObserver, WorkQueue } from '../../client/work/work-queue.ts';

const BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10];
const CALL_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** What the manager tells of itself, in the names of the field. */
export class ManagerMetrics {
  readonly #registry = new Registry();
  readonly #disabled: readonly string[];
  readonly #queues = new Map<string, WorkQueue>();
  readonly #adds = this.#counter('workqueue_adds_total', 'Keys that were added to a queue', ['name']);
  readonly #depth = this.#gauge('workqueue_depth', 'Keys that wait in a queue', ['name']);
  readonly #retries = this.#counter('workqueue_retries_total', 'Keys that failed and are tried again', ['name']);
  readonly #waited = this.#histogram('workqueue_queue_duration_seconds', 'Time that keys wait in a queue', ['name']);
  readonly #worked = this.#histogram('workqueue_work_duration_seconds', 'Time that keys are worked on', ['name']);
  readonly #calls = this.#counter('rest_client_requests_total', 'Requests by the code of their answer', [
    'code',
    'host',
    'method',
  ]);
  readonly #callTimes = this.#histogram(
    'rest_client_request_duration_seconds',
    'Time until requests are answered',
    ['host', 'verb'],
    CALL_BUCKETS,
  );
  readonly #leader = this.#gauge('leader_election_master_status', '1 while this instance holds the lease', ['name']);

  constructor(disabled: readonly string[] = []) {
    this.#disabled = disabled;
    const queues = this.#queues;
    this.#gauge('workqueue_unfinished_work_seconds', 'Time spent so far on keys being worked on', ['name'], (gauge) => {
      for (const [name, queue] of queues) gauge.set({ name }, queue.unfinished.sum);
    });
    this.#gauge(
      'workqueue_longest_running_processor_seconds',
      'Time spent so far on the key that takes longest',
      ['name'],
      (gauge) => {
        for (const [name, queue] of queues) gauge.set({ name }, queue.unfinished.longest);
      },
    );
    this.#gauge('process_resident_memory_bytes', 'Memory of the process', [], (gauge) =>
      gauge.set(process.memoryUsage.rss()),
    );
    this.#gauge('process_start_time_seconds', 'When the process started', [], (gauge) =>
      gauge.set(Math.round(Date.now() / 1000 - process.uptime())),
    );
    const processor = { name: 'process_cpu_seconds_total', help: 'Processor time of the process' };
    new Counter({
      ...processor,
      registers: [this.#registry],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
  }

  /** Objects in copies of collections. */
  countObjects(size: () => number): void {
    this.#gauge('controller_manager_cached_objects', 'Objects in copies of collections', [], (gauge) =>
      gauge.set(size()),
    );
  }

  lead(name: string, leads: boolean): void {
    this.#leader.set({ name }, leads ? 1 : 0);
  }

  /** Counts a request of this instance. */
  called({ method, host, status, seconds }: Attempt): void {
    this.#calls.inc({ code: status === undefined ? '<error>' : String(status), host, method });
    this.#callTimes.observe({ host, verb: method }, seconds);
  }

  /** What a queue tells, and which one it is from now on. */
  observe(name: string): QueueObserver & { is(queue: WorkQueue): void } {
    const labels = { name };
    this.#adds.inc(labels, 0);
    this.#retries.inc(labels, 0);
    this.#depth.set(labels, 0);
    return {
      is: (queue) => this.#queues.set(name, queue),
      added: () => this.#adds.inc(labels),
      depth: (depth) => this.#depth.set(labels, depth),
      started: (seconds) => this.#waited.observe(labels, seconds),
      finished: (seconds) => this.#worked.observe(labels, seconds),
      retried: () => this.#retries.inc(labels),
    };
  }

  async text(): Promise<string> {
    // they count all the same, and nobody sees it
    for (const name of this.#disabled) this.#registry.removeSingleMetric(name);
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, labelNames: string[], collect?: (gauge: Gauge) => void): Gauge {
    return new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      ...(collect === undefined
        ? {}
        : {
            collect() {
              collect(this);
            },
          }),
    });
  }

  #histogram(name: string, help: string, labelNames: string[], buckets = BUCKETS): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.#registry] });
  }
}

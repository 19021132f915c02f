import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { timerMs } from '#base/time/longest-timer.ts';
import type { Counter } from '#program/metrics/family.ts';
import type { FamilyValues } from '#program/metrics/family-definition.ts';
import { type MetricLimits, MetricSet } from '#program/metrics/metric-set.ts';
import type { HealthPath } from '../observability/health-check.ts';
import { type Answers, Link } from './link.ts';
import { rescueConnections } from './rescue-connections.ts';
import { RestartDelay } from './restart-delay.ts';
import { isStartFailed } from './start-failed.ts';
import { WorkerMetrics } from './worker-metrics.ts';

/** The default interval at which the supervisor checks whether a worker is alive, in milliseconds. */
const BEAT_MS = 1_000;
/**
 * The largest number of questions that a worker may leave unanswered, one after the other. Unlike a time, a number does
 * no harm after the machine was suspended.
 */
const MISSED_BEATS = 10;
/** The same number before the worker listens, because loading is slow on a busy machine. */
const MISSED_AT_START = 60;
/** How long a worker may take to answer about its health and its metrics, in milliseconds. */
const HEALTH_MS = 1_000;
const VALUES_MS = 3_000;
/** How long a worker may start, in milliseconds, before it makes the server unhealthy. */
const START_GRACE_MS = 30_000;

/** The variable in a worker's environment with the number of its place, which starts at 1. */
export const WORKER_NUMBER = 'WORKER_NUMBER';

/** One of the N places for workers: its current process and its history. */
interface Place {
  readonly number: number;
  readonly delay: RestartDelay;
  worker: Worker | undefined;
  link: Link | undefined;
  /** The time when it started to listen; undefined without a worker, or while the worker starts. */
  servingSince: number | undefined;
  /** The time since which no worker listens here. */
  downSince: number;
  /** The number of questions without an answer, one after the other. */
  missed: number;
}

/**
 * Runs `count` workers that share the port. Each new connection goes to the next worker, even if another worker hangs.
 * The supervisor replaces a worker that ends or no longer answers. With the signals TERM and INT, all workers finish
 * their requests and end. A second signal ends them at once. Resolves to the exit status when all have ended: 1 if none
 * of them ever served. `limits` are for the metrics of the supervisor itself. The supervisor checks every `beatMs`
 * whether each worker is alive.
 */
export function superviseWorkers(
  count: number,
  limits: MetricLimits,
  log: Logger,
  beatMs: number = BEAT_MS,
): Promise<number> {
  return new Supervisor(count, limits, log, beatMs).run();
}

class Supervisor {
  readonly #log: Logger;
  readonly #beatMs: number;
  readonly #places: readonly Place[];
  readonly #metrics = new WorkerMetrics();
  readonly #own: MetricSet;
  readonly #restarts: Counter<'reason'>;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Why workers could not start, as long as none has served. */
  readonly #said = new Set<string>();
  #hasServed = false;
  #stopping = false;
  #status = 0;
  #ended: (status: number) => void = () => {};

  constructor(count: number, limits: MetricLimits, log: Logger, beatMs: number) {
    this.#log = log;
    this.#beatMs = beatMs;
    this.#places = Array.from({ length: count }, (_, i) => ({
      number: i + 1,
      delay: new RestartDelay(),
      worker: undefined,
      link: undefined,
      servingSince: undefined,
      downSince: performance.now(),
      missed: 0,
    }));
    this.#own = new MetricSet({ limits });
    this.#restarts = this.#own.counter('apiserver_worker_restarts_total');
    for (const reason of ['ended', 'frozen']) this.#restarts.inc({ reason }, 0);
    const places = this.#places;
    this.#own.gauge('apiserver_workers', (gauge) => {
      gauge.set({ state: 'serving' }, places.filter(({ servingSince }) => servingSince !== undefined).length);
      gauge.set({ state: 'wanted' }, count);
    });
  }

  run(): Promise<number> {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    process.on('SIGTERM', (signal) => this.#stop(signal));
    process.on('SIGINT', (signal) => this.#stop(signal));
    for (const place of this.#places) this.#start(place);
    const beat = setInterval(() => {
      for (const place of this.#places) this.#beat(place);
    }, timerMs(this.#beatMs));
    return new Promise((resolve) => {
      this.#ended = (status) => {
        clearInterval(beat);
        resolve(status);
      };
    });
  }

  #start(place: Place): void {
    const worker = cluster.fork({ [WORKER_NUMBER]: String(place.number) });
    place.worker = worker;
    place.link = new Link(worker, this.#answersFor(place));
    place.missed = 0;
    worker.on('listening', () => {
      place.servingSince = performance.now();
      place.missed = 0;
      this.#hasServed = true;
    });
    worker.on('message', (message) => {
      if (!isStartFailed(message) || this.#said.has(message.startFailed)) return;
      // Workers that start together fail for the same reason, which is logged once.
      if (!this.#hasServed) this.#said.add(message.startFailed);
      process.stderr.write(message.startFailed);
    });
    worker.on('error', (error) => this.#log.error({ err: error, worker: place.number }, 'a worker failed'));
    const rescue = rescueConnections(worker);
    worker.on('exit', (code, signal) => {
      this.#exited(place, signal ?? code);
      rescue(this.#places.some(({ servingSince }) => servingSince !== undefined));
    });
  }

  #exited(place: Place, how: number | string): void {
    const now = performance.now();
    const servedMs = place.servingSince === undefined ? 0 : now - place.servingSince;
    const frozen = place.missed >= this.#patience(place);
    if (place.servingSince !== undefined) place.downSince = now;
    place.worker = undefined;
    place.link = undefined;
    place.servingSince = undefined;
    this.#metrics.end(place.number);
    if (this.#stopping) {
      if (how !== 0) this.#status = 1;
      this.#endWhenAllHave();
      return;
    }
    if (!this.#hasServed) {
      // The other workers fail for the same reason, and each has logged it.
      this.#stopping = true;
      this.#status = 1;
      for (const other of this.#places) other.worker?.process.kill('SIGKILL');
      this.#endWhenAllHave();
      return;
    }
    const delayMs = place.delay.next(servedMs);
    const reason = frozen ? 'frozen' : 'ended';
    this.#restarts.inc({ reason });
    this.#log.error(
      { worker: place.number, exit: how, reason, delayMs },
      'a worker ended; another one takes its place',
    );
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#start(place);
    }, timerMs(delayMs));
    this.#timers.add(timer);
  }

  #patience({ servingSince }: Place): number {
    return servingSince === undefined ? MISSED_AT_START : MISSED_BEATS;
  }

  /** Checks whether a worker is alive, and ends a worker that has been silent for too long. */
  #beat(place: Place): void {
    const { worker, link } = place;
    if (worker === undefined || link === undefined) return;
    if (place.missed === this.#patience(place)) {
      this.#log.error({ worker: place.number }, 'a worker does not answer; it is ended');
      // Even a stopped process obeys this signal.
      worker.process.kill('SIGKILL');
    }
    place.missed++;
    link.ask('ping', this.#beatMs * MISSED_AT_START).then(
      () => {
        if (place.worker === worker) place.missed = 0;
      },
      () => {},
    );
  }

  #stop(signal: NodeJS.Signals): void {
    const workers = this.#places.flatMap(({ worker }) => worker ?? []);
    if (this.#stopping) {
      for (const worker of workers) worker.process.kill('SIGKILL');
      return;
    }
    this.#stopping = true;
    this.#log.info({ signal }, 'stopping all workers');
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { link } of this.#places) link?.ask('stop', BEAT_MS).catch(() => {});
    this.#endWhenAllHave();
  }

  #endWhenAllHave(): void {
    if (this.#places.every(({ worker }) => worker === undefined)) this.#ended(this.#status);
  }

  /** The questions that a worker may ask the supervisor. */
  #answersFor(place: Place): Answers {
    return {
      healthz: () => this.#troubleOfOthers(place, 'healthz'),
      livez: () => this.#troubleOfOthers(place, 'livez'),
      readyz: () => this.#troubleOfOthers(place, 'readyz'),
      metrics: () => this.#allMetrics(),
    };
  }

  async #troubleOfOthers(asking: Place, path: HealthPath): Promise<string[]> {
    const others = this.#places.filter((place) => place !== asking);
    return (await Promise.all(others.map((place) => this.#trouble(place, path)))).flat();
  }

  async #trouble({ number, link, servingSince, downSince }: Place, path: HealthPath): Promise<string[]> {
    if (servingSince === undefined || link === undefined) {
      const excused = path !== 'readyz' && performance.now() - downSince < START_GRACE_MS;
      return excused ? [] : [`worker ${number} does not serve`];
    }
    return link.ask(path, HEALTH_MS).then(
      (failing) => failing.map((check) => `worker ${number}: ${check}`),
      () => [`worker ${number} does not answer`],
    );
  }

  async #allMetrics(): Promise<readonly FamilyValues[]> {
    const asked = this.#places.map(async ({ number, link, worker }, i) => {
      const values = await link?.ask('values', VALUES_MS).catch(() => undefined);
      if (values !== undefined && this.#places[i]?.worker === worker) this.#metrics.update(number, values);
    });
    await Promise.all(asked);
    return this.#metrics.all(this.#own.values());
  }
}

import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry as MetricsRegistry,
} from 'prom-client';
import { type Answer, text } from '../api/answer.ts';
import type { Registry } from '../api/registry.ts';
import type { RequestContext, RequestInfo } from '../api/request-context.ts';
import type { MetricLimits } from '../config/metrics-options.ts';
import { limitMetrics } from './metric-limits.ts';
import type { WorkerPool } from './worker-pool.ts';
/** How a request ended, for metrics and the access log. */
export interface Finished {
  readonly context: RequestContext;
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** The values of all metrics of one process. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

const DURATIONS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const SIZES = [1000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9];
const KNOWN_VERBS = new Set(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']);

/** Which part of the API a request was about, for a label. */
function scope(info: RequestInfo): string {
  if (!info.isResource) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

/** How many requests are under way. */
export interface InflightCounts {
  readonly reading: number;
  readonly mutating: number;
}

/** The server's metrics, named as operators of this field know them. */
export class Metrics {
  readonly #registry = new MetricsRegistry();
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #sizes: Histogram;
  readonly #watches: Gauge;

  readonly #served: Pick<Registry, 'find'>;
  readonly #workerPool: WorkerPool | undefined;

  constructor(registry: Registry, inflight: InflightCounts, version: string, workerPool?: WorkerPool) {
    this.#served = registry;
    this.#workerPool = workerPool;
    const registers = [this.#registry];
    const labels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'apiserver_request_total',
      help: 'Requests answered, by verb, resource and code.',
      labelNames: [...labels, 'code', 'dry_run'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Time to answer requests that are not watches.',
      labelNames: [...labels, 'dry_run'],
      buckets: DURATIONS,
      registers,
    });
    this.#sizes = new Histogram({
      name: 'apiserver_response_sizes',
      help: 'Bytes sent in answers, TLS included.',
      labelNames: labels,
      buckets: SIZES,
      registers,
    });
    this.#watches = new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches that are open.',
      labelNames: labels,
      registers,
    });
    new Gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Requests under way.',
      labelNames: ['request_kind'],
      registers,
      collect() {
        this.set({ request_kind: 'readOnly' }, inflight.reading);
        this.set({ request_kind: 'mutating' }, inflight.mutating);
      },
    });
    new Gauge({
      name: 'apiserver_storage_objects',
      help: 'Stored objects by resource.',
      labelNames: ['resource'],
      registers,
      // every worker holds them all
      aggregator: 'max',
      collect() {
        // resources come and go
        this.reset();
        for (const { group, plural, cache } of registry.current().allStored) {
          const name = registry.naming.group(group);
          this.set({ resource: name === '' ? plural : `${plural}.${name}` }, cache.stats.items);
        }
      },
    });
    this.#cacheGauges(registry, registers);
    new Gauge({
      name: registry.naming.translate('orch_build_info'),
      help: 'The version of this server.',
      labelNames: ['git_version', 'platform'],
      registers,
      aggregator: 'first',
    }).set({ git_version: version, platform: `${process.platform}/${process.arch}` }, 1);
  }

  #cacheGauges(registry: Registry, registers: MetricsRegistry[]): void {
    const gauge = (name: string, help: string, read: () => number, aggregator: 'sum' | 'min' | 'max' = 'sum'): void => {
      new Gauge({
        name,
        help,
        registers,
        aggregator,
        collect() {
          this.set(read());
        },
      });
    };
    const { cache } = registry;
    gauge('watch_cache_bytes', 'Bytes of the objects in the watch cache.', () => cache.stats.bytes);
    gauge(
      'watch_cache_history_bytes',
      'Bytes kept for the history of the watch cache.',
      () => cache.stats.historyBytes,
    );
    gauge('watch_cache_history_entries', 'Changes in the history of the watch cache.', () => cache.stats.history);
    gauge('watch_cache_subscriptions', 'Watches served by the watch cache.', () => cache.stats.subscriptions);
    gauge('watch_cache_relists', 'How often the watch cache was filled anew.', () => cache.stats.relists);
    gauge('watch_cache_frontier_revision', 'The revision that the watch cache shows.', () => cache.frontier, 'min');
    gauge(
      'watch_cache_unconfirmed_seconds',
      'Time since the watch cache was last known to be current.',
      () => cache.unconfirmedMs / 1000,
      'max',
    );
  }

  /** Answers metrics that another part of the server keeps. */
  add(...metrics: readonly Metric[]): void {
    for (const metric of metrics) this.#registry.registerMetric(metric);
  }

  /** Shows less from here on; to be called when all metrics were added. */
  limit(limits: MetricLimits): void {
    limitMetrics(this.#registry, limits);
  }

  /** A watch was opened; the result tells that it ended. */
  watchOpened(context: RequestContext): () => void {
    const labels = this.#labels(context);
    this.#watches.inc(labels);
    return () => this.#watches.dec(labels);
  }

  finished(finished: Finished): void {
    const labels = this.#labels(finished.context);
    const dryRun = finished.context.query.has('dryRun') ? 'All' : '';
    this.#requests.inc({ ...labels, code: String(finished.status), dry_run: dryRun });
    if (labels.verb !== 'WATCH') {
      this.#durations.observe({ ...labels, dry_run: dryRun }, finished.milliseconds / 1000);
      this.#sizes.observe(labels, finished.bytes);
    }
  }

  /** Whether a path names a resource that is served, with a subresource that it has. */
  #names({ isResource, group, version, resource, subresource }: RequestInfo): boolean {
    if (!isResource) return false;
    const served = this.#served.find(group, version, resource);
    return served !== undefined && (subresource === '' || served.type.subresources.some((s) => s.name === subresource));
  }

  /** Labels come from paths only where they name something known: clients must not be able to grow the metrics. */
  #labels({ info }: RequestContext): Record<string, string> {
    const known = this.#names(info);
    return {
      verb: KNOWN_VERBS.has(info.verb) ? info.verb.toUpperCase() : 'OTHER',
      group: known ? info.group : '',
      version: known ? info.version : '',
      resource: known ? info.resource : '',
      subresource: known ? info.subresource : '',
      scope: known ? scope(info) : '',
      component: 'apiserver',
    };
  }

  /** What this process counts and measures. */
  values(): Promise<MetricValues> {
    return this.#registry.getMetricsAsJSON();
  }

  /** The metrics of this replica, of all its workers together. */
  async answer(): Promise<Answer> {
    const lines = await (this.#workerPool ?? this.#registry).metrics();
    return text(200, lines, { 'Content-Type': this.#registry.contentType });
  }
}

import { type Buckets, together } from './histogram.ts';
import { MetricsText, type Sample } from './metrics-text.ts';

/**
 * The families of metrics to keep, and the labels to keep of each. Series that differ only in other labels are added
 * up.
 */
const KEPT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    apiserver_request_total: ['verb', 'code'],
    apiserver_current_inflight_requests: ['request_kind'],
    apiserver_flowcontrol_current_executing_requests: ['priority_level', 'flow_schema'],
    apiserver_flowcontrol_current_inqueue_requests: ['priority_level', 'flow_schema'],
    apiserver_flowcontrol_request_concurrency_limit: ['priority_level'],
    apiserver_flowcontrol_nominal_limit_seats: ['priority_level'],
    apiserver_longrunning_requests: ['verb', 'group', 'resource'],
    apiserver_open_connections: [],
    apiserver_requested_deprecated_apis: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    apiserver_storage_full: [],
    apiserver_storage_size_bytes: ['storage_cluster_id'],
    etcd_db_total_size_in_bytes: ['endpoint'],
    watch_cache_frontier_revision: [],
    watch_cache_unconfirmed_seconds: [],
    watch_cache_bytes: [],
    workqueue_depth: ['name'],
    workqueue_adds_total: ['name'],
    workqueue_retries_total: ['name'],
    workqueue_unfinished_work_seconds: ['name'],
    process_resident_memory_bytes: [],
    process_open_fds: [],
    process_start_time_seconds: [],
    process_cpu_seconds_total: [],
    nodejs_eventloop_lag_p99_seconds: [],
  }),
);

/** The families of histograms to keep, and the labels to keep of each. */
const MEASURED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    apiserver_request_duration_seconds: ['verb'],
    etcd_request_duration_seconds: ['operation'],
    apiserver_client_certificate_expiration_seconds: [],
  }),
);

/** The metrics that have the version of the build as a label. The name of one of them begins with the product. */
const BUILD = /^(\w+_)?build_info$/;
const BUCKET = '_bucket';

/** The largest number of series of a family that are stored; servers do not have more either. */
const MOST_SERIES = 10_000;

/** A series: its labels, in the order of the table above, and its value. */
export interface Series<T = number> {
  readonly labels: readonly string[];
  readonly value: T;
}

/** The counts of one process up to a moment. */
export class Reading {
  readonly at: number;
  /** The version of the build; '' if the process does not report it. */
  version = '';
  readonly #sums = new Map<string, Map<string, { labels: readonly string[]; value: number }>>();
  readonly #buckets = new Map<string, Map<string, { labels: readonly string[]; value: Map<number, number> }>>();

  /** @param at milliseconds since 1970 */
  constructor(at: number) {
    this.at = at;
  }

  /** A parser that accepts the text of the metrics piece by piece. */
  reader(): MetricsText {
    return new MetricsText(isWanted, (sample) => this.#take(sample));
  }

  /** All series of a family. */
  series(family: string): readonly Series[] {
    return [...(this.#sums.get(family)?.values() ?? [])];
  }

  /** The value of a series; undefined if the process does not have it. */
  value(family: string, ...labels: readonly string[]): number | undefined {
    return this.#sums.get(family)?.get(keyOf(labels))?.value;
  }

  /** All series of a family of histograms. */
  histograms(family: string): readonly Series<Buckets>[] {
    return [...(this.#buckets.get(family)?.values() ?? [])];
  }

  histogram(family: string, ...labels: readonly string[]): Buckets | undefined {
    return this.#buckets.get(family)?.get(keyOf(labels))?.value;
  }

  /** A family of histograms without its labels. */
  whole(family: string): Buckets {
    return together(this.histograms(family).map(({ value }) => value));
  }

  #take({ name, labels, value }: Sample): void {
    if (BUILD.test(name)) {
      this.version = labels.get('git_version') ?? labels.get('version') ?? this.version;
      return;
    }
    const kept = KEPT.get(name);
    if (kept !== undefined) {
      const series = this.#seriesOf(this.#sums, name, kept, labels, () => 0);
      if (series !== undefined) series.value += value;
      return;
    }
    const family = name.slice(0, -BUCKET.length);
    const by = MEASURED.get(family);
    const le = labels.get('le');
    if (by === undefined || le === undefined) return;
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
    if (Number.isNaN(bound)) return;
    const counts = this.#seriesOf(this.#buckets, family, by, labels, () => new Map<number, number>())?.value;
    counts?.set(bound, (counts.get(bound) ?? 0) + value);
  }

  #seriesOf<T>(
    families: Map<string, Map<string, { labels: readonly string[]; value: T }>>,
    family: string,
    kept: readonly string[],
    labels: ReadonlyMap<string, string>,
    first: () => T,
  ): { labels: readonly string[]; value: T } | undefined {
    let all = families.get(family);
    if (all === undefined) families.set(family, (all = new Map()));
    const values = kept.map((label) => labels.get(label) ?? '');
    const key = keyOf(values);
    let series = all.get(key);
    if (series === undefined && all.size < MOST_SERIES) all.set(key, (series = { labels: values, value: first() }));
    return series;
  }
}

function isWanted(name: string): boolean {
  if (KEPT.has(name) || BUILD.test(name)) return true;
  return name.endsWith(BUCKET) && MEASURED.has(name.slice(0, -BUCKET.length));
}

const keyOf = (labels: readonly string[]): string => labels.join('\n');

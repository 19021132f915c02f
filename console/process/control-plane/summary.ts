import type {
  CacheState,
  DeprecatedUse,
  EtcdMember,
  FlowState,
  NamedCount,
  Percentiles,
  RequestCount,
  WorkQueueState,
} from '../../protocol/control-plane.ts';
import { type Buckets, countIn, highestBound, quantile, since, together } from './histogram.ts';
import type { Reading, Series } from './reading.ts';
import { totalOf } from './watched.ts';

/** The present counts of a process, and those at the beginning of the window if they were read. */
export interface Span {
  readonly address: string;
  readonly now: Reading;
  readonly before: Reading | undefined;
}

/** The number of answered requests, by verb and code, the largest first. */
export function requestsIn(spans: readonly Span[]): readonly RequestCount[] {
  return sums(spans, 'apiserver_request_total')
    .map(({ labels: [verb = '', code = ''], value: count, perSecond }) => ({ verb, code, count, perSecond }))
    .sort((a, b) => (b.perSecond ?? 0) - (a.perSecond ?? 0) || b.count - a.count);
}

/** Verbs of requests that last as long as their client likes. */
const LASTING = ['WATCH', 'CONNECT'];

/** The durations of requests, by verb, for all replicas together. Long-running requests are left out. */
export function durationsIn(spans: readonly Span[]): readonly Percentiles[] {
  return percentiles(spans, 'apiserver_request_duration_seconds').filter(({ name }) => !LASTING.includes(name));
}

/** The durations of requests to etcd, by operation. */
export function etcdDurationsIn(spans: readonly Span[]): readonly Percentiles[] {
  return percentiles(spans, 'etcd_request_duration_seconds');
}

/** The running and the waiting requests, by flow, for all replicas together, the busiest flow first. */
export function flowsIn(spans: readonly Span[]): readonly FlowState[] {
  const family = (what: string) => sums(spans, `apiserver_flowcontrol_${what}`);
  const named = family('nominal_limit_seats');
  const limits = new Map(
    (named.length > 0 ? named : family('request_concurrency_limit')).map(({ labels, value }) => [labels[0], value]),
  );
  const waiting = new Map(family('current_inqueue_requests').map(({ labels, value }) => [labels.join('\n'), value]));
  return family('current_executing_requests')
    .map(({ labels, value: executing }) => {
      const [level = '', flow = ''] = labels;
      return { level, flow, executing, queued: waiting.get(labels.join('\n')) ?? 0, limit: limits.get(level) };
    })
    .sort((a, b) => b.queued - a.queued || b.executing - a.executing || (a.level < b.level ? -1 : 1));
}

/** Open watches by resource, most first. */
export function watchesIn(spans: readonly Span[]): readonly NamedCount[] {
  return sums(spans, 'apiserver_longrunning_requests')
    .filter(({ labels: [verb], value }) => verb === 'WATCH' && value > 0)
    .map(({ labels: [, group = '', resource = ''], value: count }) => ({
      name: group === '' ? resource : `${resource}.${group}`,
      count,
    }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/**
 * The cache of each replica, compared with the revision of etcd.
 *
 * @param revision the revision of etcd before the replicas were asked; 0 if unknown: then the newest cache counts
 */
export function cachesIn(spans: readonly Span[], revision: number): readonly CacheState[] {
  const caches = spans.flatMap(({ address, now }) => {
    const frontier = now.value('watch_cache_frontier_revision');
    if (frontier === undefined) return [];
    const unconfirmedSeconds = now.value('watch_cache_unconfirmed_seconds');
    return [{ address, frontier, unconfirmedSeconds, bytes: now.value('watch_cache_bytes') }];
  });
  const newest = revision || Math.max(0, ...caches.map(({ frontier }) => frontier));
  return caches.map((cache) => ({ ...cache, behind: Math.max(0, newest - cache.frontier) }));
}

/** The size of the database on each member of etcd; of several replicas, the last one in the list counts. */
export function membersIn(spans: readonly Span[]): readonly EtcdMember[] {
  const members = new Map<string, number>();
  for (const { now } of spans)
    for (const family of ['apiserver_storage_size_bytes', 'etcd_db_total_size_in_bytes'])
      for (const { labels, value } of now.series(family)) members.set(labels[0] ?? '', value);
  return [...members]
    .map(([endpoint, bytes]) => ({ endpoint, bytes }))
    .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}

export function isStorageFull(spans: readonly Span[]): boolean {
  return spans.some(({ now }) => (totalOf(now, 'apiserver_storage_full') ?? 0) > 0);
}

/** Versions that clients asked for since the replicas began, and that the server will no longer serve. */
export function deprecatedIn(spans: readonly Span[]): readonly DeprecatedUse[] {
  return sums(spans, 'apiserver_requested_deprecated_apis')
    .filter(({ value }) => value > 0)
    .map(({ labels: [group = '', version = '', resource = '', subresource = '', removedRelease = ''] }) => ({
      group,
      version,
      resource,
      subresource,
      removedRelease,
    }));
}

/** The queues of each manager; those with work first. */
export function queuesIn(spans: readonly Span[]): readonly WorkQueueState[] {
  const queues = spans.flatMap((span) => {
    const one = (family: string, name: string) => span.now.value(`workqueue_${family}`, name) ?? 0;
    const rates = new Map(sums([span], 'workqueue_adds_total').map(({ labels, perSecond }) => [labels[0], perSecond]));
    return span.now.series('workqueue_depth').map(({ labels: [name = ''], value: depth }) => ({
      address: span.address,
      name,
      depth,
      added: one('adds_total', name),
      addedPerSecond: rates.get(name) ?? null,
      retries: one('retries_total', name),
      unfinishedSeconds: one('unfinished_work_seconds', name),
    }));
  });
  return queues.sort((a, b) => b.depth - a.depth || b.added - a.added || (a.name < b.name ? -1 : 1));
}

/** Requests with client certificates that were good for less than each time, in seconds. */
export function clientCertificatesIn(spans: readonly Span[]): readonly { belowSeconds: number; requests: number }[] {
  const buckets = together(spans.map(({ now }) => now.whole('apiserver_client_certificate_expiration_seconds')));
  const bounds = [0, 86_400, 604_800, 2_592_000];
  if (countIn(buckets) === 0) return [];
  return bounds.map((belowSeconds) => ({ belowSeconds, requests: buckets.get(belowSeconds) ?? 0 }));
}

/** Percentiles of all short requests together; undefined if there were none. */
export function allDurations(spans: readonly Span[]): Percentiles | undefined {
  const family = 'apiserver_request_duration_seconds';
  const verbs = new Set(spans.flatMap(({ now }) => now.histograms(family).map(({ labels }) => labels[0] ?? '')));
  const buckets = [...verbs].filter((verb) => !LASTING.includes(verb)).map((verb) => inWindow(spans, family, [verb]));
  const all = together(buckets);
  return countIn(all) === 0 ? undefined : percentilesOf('all', all);
}

function percentiles(spans: readonly Span[], family: string): readonly Percentiles[] {
  const names = new Set(spans.flatMap(({ now }) => now.histograms(family).map(({ labels }) => labels[0] ?? '')));
  return [...names]
    .map((name) => percentilesOf(name, inWindow(spans, family, [name])))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

function inWindow(spans: readonly Span[], family: string, labels: readonly string[]): Buckets {
  return together(
    spans.map(({ now, before }) =>
      since(before?.histogram(family, ...labels), now.histogram(family, ...labels) ?? new Map()),
    ),
  );
}

function percentilesOf(name: string, buckets: Buckets): Percentiles {
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => quantile(buckets, share)) as [number, number, number];
  return { name, count: countIn(buckets), p50, p90, p99, most: highestBound(buckets) };
}

interface Sum extends Series {
  /** The rate in the window; null if there is no window yet. */
  readonly perSecond: number | null;
}

/** A family of all processes together. */
function sums(spans: readonly Span[], family: string): readonly Sum[] {
  const found = new Map<string, { labels: readonly string[]; value: number; perSecond: number | null }>();
  for (const { now, before } of spans)
    for (const { labels, value } of now.series(family)) {
      const key = labels.join('\n');
      let sum = found.get(key);
      if (sum === undefined) found.set(key, (sum = { labels, value: 0, perSecond: null }));
      sum.value += value;
      if (before === undefined || now.at <= before.at) continue;
      const grown = Math.max(0, value - (before.value(family, ...labels) ?? 0));
      sum.perSecond = (sum.perSecond ?? 0) + (grown * 1000) / (now.at - before.at);
    }
  return [...found.values()];
}

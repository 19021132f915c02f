import { X509Certificate } from 'node:crypto';
import type { CountSeries, HistogramSeries } from '#program/metrics/family.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Authenticate } from '../api/filter.ts';
import { isPromise } from '../api/maybe-promise.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { UserInfo } from '../api/user-info.ts';

/**
 * Names with a separate counter. All other names share two counters, because clients can choose any number of names.
 */
const KNOWN_USERS = new Set(['admin', 'client']);

function shownUser(name: string): string {
  if (KNOWN_USERS.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}

/** Counts authenticated and failed requests, and measures the remaining lifetime of client certificates. */
export function countedAuthentication(metrics: MetricSet, authenticate: Authenticate): Authenticate {
  const attempts = metrics.counter('authentication_attempts');
  const durations = metrics.histogram('authentication_duration_seconds');
  const users = metrics.counter('authenticated_user_requests');
  const lifetimes = metrics.histogram('apiserver_client_certificate_expiration_seconds').of({});
  const result = (name: string) => {
    let series: readonly [CountSeries, HistogramSeries] | undefined;
    return ({ stages }: RequestContext, started: number): void => {
      series ??= [attempts.of({ result: name }), durations.of({ result: name })];
      const now = performance.now();
      stages.leave('authentication', now);
      series[0].inc();
      series[1].observe((now - started) / 1000);
    };
  };
  const [succeeded, failed] = [result('success'), result('error')];
  const byName = new Map<string, CountSeries>();
  const seriesOf = (username: string): CountSeries => {
    let series = byName.get(username);
    if (series === undefined) byName.set(username, (series = users.of({ username })));
    return series;
  };
  // A client often sends several requests one after the other.
  let last: { readonly name: string; readonly series: CountSeries } | undefined;
  const seen = ({ name }: UserInfo): void => {
    if (last?.name !== name) last = { name, series: seriesOf(shownUser(name)) };
    last.series.inc();
  };
  const ends = new WeakMap<readonly Buffer[], number>();
  const certificateEnds = (context: RequestContext): number | undefined => {
    const chain = context.peerCertificates();
    if (chain.length === 0) return undefined;
    let end = ends.get(chain);
    // The chain is the same object for all requests of a client.
    if (end === undefined) ends.set(chain, (end = Date.parse(new X509Certificate(chain[0]!).validTo)));
    return end;
  };
  const known = (context: RequestContext, started: number, user: UserInfo): UserInfo => {
    succeeded(context, started);
    seen(user);
    const end = certificateEnds(context);
    if (end !== undefined) lifetimes.observe(Math.max(0, end - context.receivedAt) / 1000);
    return user;
  };
  return (context) => {
    const started = context.stages.last;
    const found = authenticate(context);
    if (!isPromise(found)) return known(context, started, found);
    return found.then(
      (user) => known(context, started, user),
      (error: unknown) => {
        failed(context, started);
        throw error;
      },
    );
  };
}

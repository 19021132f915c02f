import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Health } from './health.ts';

const OWN_PAGE = /_(?:healthcheck|healthchecks_total)$/;

/** Whether a family is on the page about the server's reliability, `/metrics/slis`. It is then on no other page. */
export function isOfReliability(name: string): boolean {
  return OWN_PAGE.test(name);
}

/** Counts the results of health checks that clients request. */
export function healthMetrics(metrics: MetricSet, health: Health): void {
  const last = metrics.gauge('orch_healthcheck');
  const all = metrics.counter('orch_healthchecks_total');
  health.observe((name, type, passed) => {
    last.set({ name, type }, passed ? 1 : 0);
    all.inc({ name, type, status: passed ? 'success' : 'error' });
  });
}

import type { Counter } from '#program/metrics/family.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import type { AuditLevel } from './policy.ts';

/** Counts what becomes of audit events. */
export class AuditMetrics {
  readonly #events: Counter<never>;
  readonly #rejected: Counter<never>;
  readonly #errors: Counter<'plugin'>;
  readonly #levels: Counter<'level'>;

  constructor(metrics = new MetricSet()) {
    this.#events = metrics.counter('apiserver_audit_event_total');
    this.#rejected = metrics.counter('apiserver_audit_requests_rejected_total');
    this.#errors = metrics.counter('apiserver_audit_error_total');
    this.#levels = metrics.counter('apiserver_audit_level_total');
  }

  /** A backend is there: what it loses is counted from 0 on, so that the first loss shows as one. */
  expect(plugin: string): void {
    this.#errors.inc({ plugin }, 0);
  }

  /** An event goes to the backends. */
  emitted(): void {
    this.#events.inc({});
  }

  /** Policy decided about a request. */
  decided(level: AuditLevel): void {
    this.#levels.inc({ level });
  }

  /** A request was refused because it could not be recorded. */
  rejected(): void {
    this.#rejected.inc({});
  }

  /** Events are lost to a backend. */
  lost(plugin: string, events: number): void {
    this.#errors.inc({ plugin }, events);
  }
}

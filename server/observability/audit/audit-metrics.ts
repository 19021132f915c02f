import type { Counter } from '#program/metrics/family.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import type { AuditLevel } from './policy.ts';

/** Counts the outcomes of audit events. */
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

  /**
   * Called for each backend. Its losses are counted from 0 on, so the first loss is visible as a change from 0 to 1.
   */
  expect(plugin: string): void {
    this.#errors.inc({ plugin }, 0);
  }

  /** Called when an event goes to the backends. */
  emitted(): void {
    this.#events.inc({});
  }

  /** Called when the policy has decided about a request. */
  decided(level: AuditLevel): void {
    this.#levels.inc({ level });
  }

  /** Called when a request was refused because it could not be recorded. */
  rejected(): void {
    this.#rejected.inc({});
  }

  /** Called when a backend has lost events. */
  lost(plugin: string, events: number): void {
    this.#errors.inc({ plugin }, events);
  }
}

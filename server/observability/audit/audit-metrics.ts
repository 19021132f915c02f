import { Counter, type Metric } from 'prom-client';
import { type AuditLevel, auditLevels } from './policy.ts';

/** Counts what becomes of audit events. */
export class AuditMetrics {
  readonly #events = new Counter({
    name: 'apiserver_audit_event_total',
    help: '[ALPHA] Counter of audit events generated and sent to the audit backend.',
    registers: [],
  });
  readonly #rejected = new Counter({
    name: 'apiserver_audit_requests_rejected_total',
    help: '[ALPHA] Counter of apiserver requests rejected due to an error in audit logging backend.',
    registers: [],
  });
  readonly #errors = new Counter({
    name: 'apiserver_audit_error_total',
    help: '[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
    labelNames: ['plugin'],
    registers: [],
  });
  readonly #levels = new Counter({
    name: 'apiserver_audit_level_total',
    help: '[ALPHA] Counter of policy levels for audit events (1 per request).',
    labelNames: ['level'],
    registers: [],
  });
  readonly #ofLevel = new Map(auditLevels.map((level) => [level, this.#levels.labels(level)]));

  /** For the server's own registry. */
  get all(): readonly Metric[] {
    return [this.#events, this.#rejected, this.#errors, this.#levels];
  }

  /** A backend is there: what it loses is counted from 0 on, so that the first loss shows as one. */
  expect(plugin: string): void {
    this.#errors.inc({ plugin }, 0);
  }

  /** An event goes to the backends. */
  emitted(): void {
    this.#events.inc();
  }

  /** Policy decided about a request. */
  decided(level: AuditLevel): void {
    this.#ofLevel.get(level)!.inc();
  }

  /** A request was refused because it could not be recorded. */
  rejected(): void {
    this.#rejected.inc();
  }

  /** Events are lost to a backend. */
  lost(plugin: string, events: number): void {
    this.#errors.inc({ plugin }, events);
  }
}

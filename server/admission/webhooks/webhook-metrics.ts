import { Counter, Histogram, type Metric } from 'prom-client';
import type { Phase } from '../../api/admission.ts';

/** Why a webhook, or a failed call of one, refused a request. */
export type RejectionCause = 'calling_webhook_error' | 'no_error' | 'apiserver_internal_error';

/** Which webhook was asked about what. `type` in labels is `admit` for mutating and `validating` for the others. */
export interface CallLabels {
  readonly name: string;
  readonly operation: string;
  readonly phase: Phase;
}

const MAX_CODE = 600;

function common({ name, operation, phase }: CallLabels): Record<'name' | 'operation' | 'type', string> {
  return { name, operation, type: phase === 'admit' ? 'admit' : 'validating' };
}

/** The metrics of webhooks, named as operators of this field know them. */
export class WebhookMetrics {
  readonly #durations = new Histogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: 'Time of one call of an admission webhook, by operation.',
    labelNames: ['name', 'operation', 'rejected', 'type'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5],
    registers: [],
  });
  readonly #requests = new Counter({
    name: 'apiserver_admission_webhook_request_total',
    help: 'Calls of admission webhooks, by operation, outcome and code.',
    labelNames: ['code', 'name', 'operation', 'rejected', 'type'],
    registers: [],
  });
  readonly #rejections = new Counter({
    name: 'apiserver_admission_webhook_rejection_count',
    help: 'Requests refused by admission webhooks or because they failed, by cause and code.',
    labelNames: ['error_type', 'name', 'operation', 'rejection_code', 'type'],
    registers: [],
  });
  readonly #failedOpen = new Counter({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: 'Failed calls of admission webhooks that let the request pass.',
    labelNames: ['name', 'type'],
    registers: [],
  });

  /** To be registered where metrics are answered. */
  get all(): readonly Metric[] {
    return [this.#durations, this.#requests, this.#rejections, this.#failedOpen];
  }

  called(labels: CallLabels, seconds: number, code: number, rejected: boolean): void {
    const shown = { ...common(labels), rejected: String(rejected) };
    this.#durations.observe(shown, seconds);
    this.#requests.inc({ ...shown, code: String(Math.min(code, MAX_CODE)) });
  }

  rejected(labels: CallLabels, cause: RejectionCause, code: number): void {
    const shown = common(labels);
    this.#rejections.inc({ ...shown, error_type: cause, rejection_code: String(Math.min(code, MAX_CODE)) });
  }

  failedOpen({ name, phase }: CallLabels): void {
    this.#failedOpen.inc({ name, type: phase === 'admit' ? 'admit' : 'validating' });
  }
}

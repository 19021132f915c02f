import type { Counter, Histogram } from '#program/metrics/family.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Phase } from '../../api/admission.ts';

/** Why a webhook, or a failed call of one, refused a request. */
export type RejectionCause = 'calling_webhook_error' | 'no_error' | 'apiserver_internal_error';

/** Metrics of webhook calls. The label `type` is `admit` for mutating webhooks and `validating` for the others. */
export interface CallLabels {
  readonly name: string;
  readonly operation: string;
  readonly phase: Phase;
}

type Common = 'name' | 'operation' | 'type';

const MAX_CODE = 600;

function common({ name, operation, phase }: CallLabels): Record<Common, string> {
  return { name, operation, type: phase === 'admit' ? 'admit' : 'validating' };
}

/** The metrics of webhooks. The names are known to operators of this field. */
export class WebhookMetrics {
  readonly #durations: Histogram<Common | 'rejected'>;
  readonly #requests: Counter<Common | 'rejected' | 'code'>;
  readonly #rejections: Counter<Common | 'error_type' | 'rejection_code'>;
  readonly #failedOpen: Counter<'name' | 'type'>;

  constructor(metrics: MetricSet) {
    this.#durations = metrics.histogram('apiserver_admission_webhook_admission_duration_seconds');
    this.#requests = metrics.counter('apiserver_admission_webhook_request_total');
    this.#rejections = metrics.counter('apiserver_admission_webhook_rejection_count');
    this.#failedOpen = metrics.counter('apiserver_admission_webhook_fail_open_count');
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

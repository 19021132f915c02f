import type { Histogram, Summary } from '#program/metrics/family.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import type { Phase } from '../api/admission.ts';
import { type CountedCall, countedCalls } from '../outbound/call-metrics.ts';
import { PodSecurityMetrics } from './pod-security/pod-security-metrics.ts';
import { PolicyMetrics } from './policies/policy-metrics.ts';
import { WebhookMetrics } from './webhooks/webhook-metrics.ts';

/** Records a duration in seconds. */
export type StepTimer = (seconds: number) => void;

/** Records how long the steps of admission took. */
export interface AdmissionTimer {
  /** The timer of a step, which frequent callers keep. If `plugin` is undefined, it is the timer of the whole phase. */
  timer(plugin: string | undefined, operation: string, phase: Phase, rejected: boolean): StepTimer;
}

type PhaseLabel = 'operation' | 'rejected' | 'type';

/**
 * The metrics of admission: how long each phase and each plug-in took, the results of webhooks and policies, and the
 * evaluation of pods.
 */
export class AdmissionMetrics implements AdmissionTimer {
  readonly webhooks: WebhookMetrics;
  readonly podSecurity: PodSecurityMetrics;
  readonly policies: PolicyMetrics;
  /** Counts calls of webhooks. */
  readonly calls: CountedCall;
  readonly #steps: Histogram<PhaseLabel>;
  readonly #stepSummary: Summary<PhaseLabel>;
  readonly #plugins: Histogram<PhaseLabel | 'name'>;

  constructor(metrics = new MetricSet()) {
    this.webhooks = new WebhookMetrics(metrics);
    this.podSecurity = new PodSecurityMetrics(metrics);
    this.policies = new PolicyMetrics(metrics);
    this.calls = countedCalls(metrics);
    this.#steps = metrics.histogram('apiserver_admission_step_admission_duration_seconds');
    this.#stepSummary = metrics.summary('apiserver_admission_step_admission_duration_seconds_summary');
    this.#plugins = metrics.histogram('apiserver_admission_controller_admission_duration_seconds');
  }

  timer(plugin: string | undefined, operation: string, phase: Phase, rejected: boolean): StepTimer {
    const labels = { operation, rejected: String(rejected), type: phase };
    if (plugin !== undefined) return once(() => this.#plugins.of({ name: plugin, ...labels }));
    const [steps, summary] = [once(() => this.#steps.of(labels)), once(() => this.#stepSummary.of(labels))];
    return (seconds) => {
      steps(seconds);
      summary(seconds);
    };
  }
}

/** Observes in a series that is created at its first use, because a create passes some twenty steps. */
function once(find: () => { observe(seconds: number): void }): StepTimer {
  let series: ReturnType<typeof find> | undefined;
  return (seconds) => {
    series ??= find();
    series.observe(seconds);
  };
}

import type { Counter, Histogram } from '#program/metrics/family.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Problem, Verdict } from './evaluate-policy.ts';
import type { ValidatingBinding } from './validating-policy.ts';

type Label = 'policy' | 'policy_binding' | 'error_type';

/** The error types of messages, by the beginning of the message. */
const ERROR_TYPES: readonly (readonly [beginning: string, type: string])[] = [
  ['compilation', 'compile_error'],
  ['validation failed due to running out of cost budget', 'out_of_budget'],
];

function errorType(message: string): string {
  return ERROR_TYPES.find(([beginning]) => message.startsWith(beginning))?.[1] ?? 'invalid_error';
}

/** The metrics of policies. The names are known to operators of this field. */
export class PolicyMetrics {
  readonly #checks: Counter<Label | 'enforcement_action'>;
  readonly #checkTimes: Histogram<Label | 'enforcement_action'>;
  readonly #mutations: Counter<Label>;
  readonly #mutationTimes: Histogram<Label>;

  constructor(metrics: MetricSet) {
    this.#checks = metrics.counter('apiserver_validating_admission_policy_check_total');
    this.#checkTimes = metrics.histogram('apiserver_validating_admission_policy_check_duration_seconds');
    this.#mutations = metrics.counter('apiserver_mutating_admission_policy_check_total');
    this.#mutationTimes = metrics.histogram('apiserver_mutating_admission_policy_check_duration_seconds');
  }

  /**
   * Counts the result of a validating policy. A broken rule counts once for each action of the binding. A rule that the
   * server could not evaluate, and that the failure policy ignores, counts with the action `allow`. Rules that hold do
   * not count.
   */
  validated(policy: string, { name, actions }: Pick<ValidatingBinding, 'name' | 'actions'>, verdict: Verdict): void {
    const count = (action: string, { message, seconds }: Problem) => {
      const labels = {
        policy,
        policy_binding: name,
        error_type: errorType(message),
        enforcement_action: action.toLowerCase(),
      };
      this.#checks.inc(labels);
      this.#checkTimes.observe(labels, seconds);
    };
    for (const failure of verdict.failures) for (const action of actions) count(action, failure);
    for (const problem of verdict.passed) count('allow', problem);
    for (const problem of verdict.annotationErrors) count('deny', problem);
  }

  /** Counts a change by a mutating policy. If the policy could not make it, `error` is the message. */
  mutated(policy: string, binding: string, seconds: number, error?: string): void {
    const type = error === undefined ? 'no_error' : errorType(error);
    const labels = { policy, policy_binding: binding, error_type: type };
    this.#mutations.inc(labels);
    this.#mutationTimes.observe(labels, seconds);
  }
}

import { StatusError } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { refusal } from '../refusal.ts';
import type { Failure, Verdict } from './evaluate-policy.ts';
import type { ConfigurationError } from './policy-params.ts';
import type { ValidatingBinding, ValidatingPolicy } from './validating-policy.ts';

const MAX_VALUE = 10 * 1024;
const MAX_FAILURES = 50;

const CODES: ReadonlyMap<string, number> = new Map([
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
  ['Invalid', 422],
]);

/** A failure in the form of the audit log. */
interface NotedFailure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  readonly expressionIndex: number;
  readonly validationActions: readonly string[];
}

/** Collects the results of policies for one request: warnings, annotations for the audit log, and the refusal. */
export class PolicyReport {
  readonly #naming: Naming;
  readonly #request: AdmissionRequest;
  readonly #failures: NotedFailure[] = [];
  /** The annotation values of the current policy, by key. */
  #annotations = new Map<string, Set<string>>();
  /** The first refusal, which the client gets. */
  #refused: { readonly message: string; readonly reason: string } | undefined;

  constructor(naming: Naming, request: AdmissionRequest) {
    this.#naming = naming;
    this.#request = request;
  }

  /** Adds the result of a policy with one of its bindings. */
  add(policy: ValidatingPolicy, binding: ValidatingBinding, verdict: Verdict): void {
    const said = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
    for (const failure of verdict.failures) this.#act(binding, failure, said);
    for (const [key, value] of verdict.annotations) {
      let values = this.#annotations.get(key);
      if (values === undefined) this.#annotations.set(key, (values = new Set()));
      values.add(value.slice(0, MAX_VALUE));
    }
    for (const { message } of verdict.annotationErrors) this.#refuse(`${said} denied request: ${message}`, 'Invalid');
  }

  #act(binding: ValidatingBinding, { index, message, reason }: Failure, said: string): void {
    for (const action of binding.actions) {
      if (action === 'Deny') this.#refuse(`${said} denied request: ${message}`, reason);
      else if (action === 'Warn') {
        const warning = `Validation failed for ValidatingAdmissionPolicy '${binding.policy}' with binding '${binding.name}': ${message}`;
        this.#request.context.warnings.add(warning);
      } else if (action === 'Audit') {
        const { name, policy, actions } = binding;
        this.#failures.push({ message, policy, binding: name, expressionIndex: index, validationActions: actions });
      }
    }
  }

  /** Records that a policy, or a binding of it, cannot be used. */
  addMistake(policy: ValidatingPolicy, binding: ValidatingBinding, error: ConfigurationError): void {
    if (policy.failsOpen) return;
    const what = error.ofPolicy ? 'policy' : 'binding';
    const by = error.ofPolicy ? '' : ` with binding '${binding.name}'`;
    const why = `failed to configure ${what}: ${error.message}`;
    this.#refuse(`ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${why}`, 'Invalid');
  }

  /** Called after all bindings of a policy. Records the annotations of the policy. */
  closePolicy({ name }: ValidatingPolicy): void {
    if (this.#annotations.size === 0) return;
    const { annotations } = this.#request.context;
    for (const [key, values] of this.#annotations) annotations.set(`${name}/${key}`, [...values].join(', '));
    this.#annotations = new Map();
  }

  /** Called after all policies. Returns the refusal if one of them refuses the request. */
  close(): StatusError | undefined {
    if (this.#failures.length > 0) {
      const key = this.#naming.key('validation.policy.admission/validation_failure');
      this.#request.context.annotations.set(key, JSON.stringify(this.#failures.slice(0, MAX_FAILURES)));
    }
    if (this.#refused === undefined) return undefined;
    const { message, reason } = this.#refused;
    return policyRefusal(this.#request, message, reason);
  }

  #refuse(message: string, reason: string): void {
    this.#refused ??= { message, reason };
  }
}

/** The refusal of a request by a policy, with the reason that the policy gives. */
function policyRefusal(request: AdmissionRequest, message: string, reason: string): StatusError {
  const { message: whole, status } = refusal(request, message);
  return new StatusError(CODES.get(reason) ?? 500, reason, whole, { ...status.details, causes: [{ message }] });
}

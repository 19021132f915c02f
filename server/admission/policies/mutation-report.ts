import { StatusError } from '#base/errors/status-error.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { refusal } from '../refusal.ts';
import type { Policy, PolicyBinding } from './policy.ts';
import type { ConfigurationError } from './policy-params.ts';

/** The errors of policies that change an object. */
interface Problem {
  readonly message: string;
  readonly reason: string;
}

/** Collects the errors of the policies that change the object of one request. */
export class MutationReport {
  readonly #request: AdmissionRequest;
  readonly #problems: Problem[] = [];

  constructor(request: AdmissionRequest) {
    this.#request = request;
  }

  /** Records that a change could not be made. */
  add({ name, failsOpen }: Policy, binding: PolicyBinding, why: string): void {
    if (failsOpen) return;
    const message = `policy '${name}' with binding '${binding.name}' denied request: ${why}`;
    this.#problems.push({ message, reason: 'Invalid' });
  }

  /** Records that a policy, or a binding of it, cannot be used. */
  addMistake({ name, failsOpen }: Policy, binding: PolicyBinding, error: ConfigurationError): void {
    if (failsOpen) return;
    const [what, by] = error.ofPolicy
      ? ['policy', `policy ${JSON.stringify(name)}`]
      : ['binding', `policy '${name}' with binding '${binding.name}'`];
    const message = `${by} denied request: failed to configure ${what}: ${error.message}`;
    this.#problems.push({ message, reason: 'Forbidden' });
  }

  /** Called after all policies. Returns the error 403 with all problems; undefined without problems. */
  refusal(): StatusError | undefined {
    const [first] = this.#problems;
    return first === undefined ? undefined : this.#refusal(first);
  }

  #refusal({ message, reason }: Problem): StatusError {
    const { status } = refusal(this.#request, message);
    const causes = this.#problems.map((each) => ({ message: each.message }));
    return new StatusError(403, reason, message, { ...status.details, causes });
  }
}

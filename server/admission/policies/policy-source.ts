import type { ApiObject } from '#schema/objects/api-object.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { ClusterView } from '../cluster-view.ts';
import { FollowedKind } from '../followed-kind.ts';
import type { Policy, PolicyBinding } from './policy.ts';
import { type Hook, PolicyHooks } from './policy-hooks.ts';

const GROUP = 'admissionregistration';

/** A resource of policies or bindings, with the function that reads its objects. */
export interface PolicyKind<T extends ApiObject, Read> {
  readonly plural: string;
  readonly read: (object: T) => Read;
}

/** The policies of one kind and their bindings, in the state of the watch cache. */
export class PolicySource<P extends Policy, B extends PolicyBinding> {
  readonly #policies: { current(): readonly P[] };
  readonly #bindings: { current(): readonly B[] };
  readonly #hooks = new PolicyHooks<P, B>();

  constructor(cluster: ClusterView, policies: PolicyKind<never, P>, bindings: PolicyKind<never, B>) {
    this.#policies = followed(cluster, policies);
    this.#bindings = followed(cluster, bindings);
  }

  /** The policies that may apply to a request, by name, with the bindings that may apply too. */
  hooks({ served, operation, subresource }: AdmissionRequest): readonly Hook<P, B>[] {
    return this.#hooks.of(this.#policies.current(), this.#bindings.current(), served, operation, subresource);
  }
}

function followed<Read>(cluster: ClusterView, { plural, read }: PolicyKind<never, Read>) {
  return new FollowedKind(cluster, GROUP, plural, (object: ApiObject) => [read(object as never)]);
}

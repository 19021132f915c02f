import { notFound } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { isPromise } from '../../api/maybe-promise.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { PluginEnvironment } from '../plugin.ts';
import { ReviewObjects } from '../webhooks/review-objects.ts';
import { namespaceOf, Selection } from '../webhooks/selection.ts';
import { versionFor } from './match-resources.ts';
import type { Policy, PolicyBinding } from './policy.ts';
import { type PolicyFreshness, policyFreshness } from './policy-basis.ts';
import type { Hook } from './policy-hooks.ts';
import { ConfigurationError, paramsFor } from './policy-params.ts';
import { type Inputs, RequestInputs } from './request-inputs.ts';
import { ExpressionRuns } from './run-expressions.ts';

/** A policy that applies to a request because of a binding. There is one entry for each parameter object. */
export interface PolicyUse<P extends Policy, B extends PolicyBinding> {
  readonly policy: P;
  readonly binding: B;
  /** The version in which the policy sees the objects. */
  readonly served: ServedResource;
  readonly params: JsonObject | undefined;
}

/** Records that a policy, or a binding of it, cannot be used. */
export type TakeMistake<P extends Policy, B extends PolicyBinding> = (
  policy: P,
  binding: B,
  error: ConfigurationError,
) => void;

/** The policies of one kind for one request: the policies that apply, and the objects that their expressions read. */
export class PolicyRound {
  readonly objects: ReviewObjects;
  readonly runs = new ExpressionRuns();
  readonly #cluster: ClusterView;
  readonly #request: AdmissionRequest;
  readonly #freshness: PolicyFreshness;
  readonly #selection: Selection;
  readonly #inputs: RequestInputs;
  #namespace: Promise<Namespace | undefined> | undefined;

  constructor({ cluster, naming, access }: PluginEnvironment, request: AdmissionRequest) {
    this.#cluster = cluster;
    this.#request = request;
    this.#freshness = policyFreshness(cluster.registry);
    this.#selection = new Selection(cluster, request);
    this.objects = new ReviewObjects(cluster.registry, request);
    this.#inputs = new RequestInputs(naming, access, request, this.objects);
  }

  /**
   * Called before a refusal, which is valid only for a state as new as the request.
   * @throws StaleDefinition if the result may differ in that state
   */
  beforeRefusal(): Promise<void> {
    return this.#freshness.beforeRefusal(this.#request);
  }

  /** The uses of a policy for the request, in the order of its bindings. */
  async *uses<P extends Policy, B extends PolicyBinding>(
    { policy, match, bindings }: Hook<P, B>,
    mistaken: TakeMistake<P, B>,
  ): AsyncGenerator<PolicyUse<P, B>> {
    const { name } = this.#request;
    const served = versionFor(match, name);
    if (served === undefined || !(await this.#selection.selects(policy.match))) return;
    for (const { binding, match: narrowed } of bindings) {
      if (versionFor(narrowed, name) === undefined) continue;
      if (!(await this.#selection.selects(binding.match))) continue;
      try {
        const { paramKind } = policy;
        const found = await paramsFor(this.#cluster, paramKind, binding.paramRef, this.#request, this.#freshness);
        for (const params of found) yield { policy, binding, served, params };
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        mistaken(policy, binding, error);
        if (error.ofPolicy) return;
      }
    }
  }

  /**
   * The inputs of a policy's expressions, with the current object.
   * @throws StatusError (404) for a request in a namespace that does not exist
   */
  async inputs({ served, params }: Pick<PolicyUse<Policy, PolicyBinding>, 'served' | 'params'>): Promise<Inputs> {
    const found = this.objects.seen(served);
    const seen = isPromise(found) ? await found : found;
    this.#namespace ??= this.#findNamespace();
    return this.#inputs.of(served, seen, await this.#namespace, params);
  }

  async #findNamespace(): Promise<Namespace | undefined> {
    if (!this.#request.served.type.namespaced) return undefined;
    const name = namespaceOf(this.#request);
    const found = await this.#cluster.find<Namespace>('', 'namespaces', name);
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
    return found;
  }
}

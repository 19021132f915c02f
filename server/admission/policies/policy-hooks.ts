import type { Operation } from '../../api/admission.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import { type KindMatch, kindMatch, type Match } from './match-resources.ts';

/** The parts of a mutating or validating policy that decide whether it applies. */
interface Named {
  readonly name: string;
  readonly match: Match;
}

/** A binding of such a policy. */
interface Bound extends Named {
  readonly policy: string;
}

/** A policy that may apply to a kind of request, with its bindings that may apply too. */
export interface Hook<Policy, Binding> {
  readonly policy: Policy;
  readonly match: KindMatch;
  readonly bindings: readonly { readonly binding: Binding; readonly match: KindMatch }[];
}

/**
 * The policies that may apply to a kind of request. They are computed once for each kind of request and each set of
 * policies and bindings.
 */
export class PolicyHooks<Policy extends Named, Binding extends Bound> {
  #policies: readonly Policy[] = [];
  #bindings: readonly Binding[] = [];
  #known = new WeakMap<ServedResource, Map<string, readonly Hook<Policy, Binding>[]>>();

  of(
    policies: readonly Policy[],
    bindings: readonly Binding[],
    served: ServedResource,
    operation: Operation,
    subresource: string,
  ): readonly Hook<Policy, Binding>[] {
    if (policies !== this.#policies || bindings !== this.#bindings) {
      this.#policies = policies;
      this.#bindings = bindings;
      this.#known = new WeakMap();
    }
    if (policies.length === 0 || bindings.length === 0) return [];
    let known = this.#known.get(served);
    if (known === undefined) this.#known.set(served, (known = new Map()));
    const key = `${operation}/${subresource}`;
    let hooks = known.get(key);
    if (hooks === undefined) known.set(key, (hooks = this.#choose(served, operation, subresource)));
    return hooks;
  }

  #choose(served: ServedResource, operation: Operation, subresource: string): Hook<Policy, Binding>[] {
    const find = (match: Match): KindMatch | undefined => kindMatch(match, served, operation, subresource);
    return this.#policies.flatMap((policy) => {
      const match = find(policy.match);
      if (match === undefined) return [];
      const bindings = this.#bindings.flatMap((binding) => {
        if (binding.policy !== policy.name) return [];
        const own = find(binding.match);
        return own === undefined ? [] : [{ binding, match: own }];
      });
      return bindings.length === 0 ? [] : [{ policy, match, bindings }];
    });
  }
}

import { serviceUnavailable } from '#base/errors/status-error.ts';
import type { Condition } from '#storage/object-store.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { StoredResource } from '../../api/served-resource.ts';
import { StaleDefinition } from '../../api/write-condition.ts';
import type { AdmissionBasis } from '../../api/write-rests.ts';
import type { ResourceCache } from '../../cache/resource-cache.ts';
import { POLICY_MARK, POLICY_MARKER, policyMarkKey } from '../../resources/policy-marker.ts';
import type { Registry } from '../../resources/registry.ts';
import { mostRecent } from '../../verbs/read-version.ts';

/**
 * The largest number of parameter objects that a transaction compares. If there are more, the server reads a fresh
 * state instead.
 */
const MAX_COMPARED = 32;

/** A key on which a write depends, in the state of the cache. The revision is 0 for an absent key. */
interface Compared extends Condition {
  readonly cache: ResourceCache;
  /** The name relative to its resource. */
  readonly name: string;
}

/** The policies in force and their parameter objects, in the state at the time of a request. */
class PolicyBasis implements AdmissionBasis {
  /** The revision of a mark. The mark changes with the policies. */
  readonly mark: number;
  readonly conditions: readonly Compared[];
  readonly renew: () => Promise<void>;

  constructor(mark: number, conditions: readonly Compared[], renew: () => Promise<void>) {
    this.mark = mark;
    this.conditions = conditions;
    this.renew = renew;
  }

  isCurrent(): boolean {
    return this.conditions.every(({ cache, name, revision }) => (cache.get(name)?.revision ?? 0) === revision);
  }

  refusal() {
    return serviceUnavailable('the policies of admission keep changing');
  }

  /** The same basis with one more key. */
  with(key: Compared): PolicyBasis {
    if (this.conditions.some((known) => known.key === key.key)) return this;
    return new PolicyBasis(this.mark, [...this.conditions, key], this.renew);
  }
}

/**
 * Ensures that no write is decided by policies or parameters that another replica has already replaced. A write
 * compares them in its transaction. For a request that writes nothing, or writes to another place, the replica first
 * refreshes its state.
 */
export class PolicyFreshness {
  /** Mutating policies run before validating ones. Both must use the same state. */
  mutates = false;
  readonly #registry: Registry;
  readonly #marks: ResourceCache;
  readonly #key: string;
  readonly #fresh = new WeakSet<RequestContext>();
  #basis: PolicyBasis | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#marks = registry.cache.resource(POLICY_MARKER.group, POLICY_MARKER.plural);
    this.#key = policyMarkKey(registry.etcdPrefix);
  }

  /**
   * Called before mutating policies. Returns a promise if the caller must wait.
   * @throws StaleDefinition if policies have changed since the first run of the mutating steps
   */
  beginMutation(request: AdmissionRequest): Promise<void> | undefined {
    return this.#begin(request, request.reinvocation?.again === true);
  }

  /**
   * Like `beginMutation`, for validating policies.
   *
   * @throws StaleDefinition if policies have changed since the mutating policies ran
   */
  beginValidation(request: AdmissionRequest): Promise<void> | undefined {
    return this.#begin(request, this.mutates);
  }

  #begin(request: AdmissionRequest, goesOn: boolean): Promise<void> | undefined {
    if (!this.#compares(request)) return this.#refresh(request);
    const rests = request.rests!;
    const current = this.#current();
    const { basis } = rests;
    if (!goesOn || !(basis instanceof PolicyBasis)) rests.basis = current;
    else if (basis.mark !== current.mark) throw new StaleDefinition(basis);
    return undefined;
  }

  /** Records that a parameter object, or its absence, decided about a request. */
  async uses(request: AdmissionRequest, stored: StoredResource, name: string, revision: number): Promise<void> {
    if (this.#fresh.has(request.context)) return;
    const basis = request.rests?.basis;
    const { cache, keyPrefix } = stored;
    const isHere = this.#registry.cache.home(stored.group, stored.plural) === this.#registry.cache;
    if (!(basis instanceof PolicyBasis) || !isHere || basis.conditions.length > MAX_COMPARED) {
      await this.#refresh(request);
      if ((cache.get(name)?.revision ?? 0) === revision) return;
      // The policies have changed in the meantime, so the request begins again.
      throw new StaleDefinition(basis ?? this.#current());
    }
    request.rests!.basis = basis.with({ key: keyPrefix + name, revision, cache, name });
  }

  /** Ensures that the next read is as new as the request. */
  needsFresh(request: AdmissionRequest): Promise<void> | undefined {
    return this.#refresh(request);
  }

  /**
   * Called before a refusal. A refusal is valid only if it also holds in a state as new as the request.
   * @throws StaleDefinition if the result may differ in that state
   */
  async beforeRefusal(request: AdmissionRequest): Promise<void> {
    const basis = request.rests?.basis;
    await this.#refresh(request);
    if (basis?.isCurrent() === false) throw new StaleDefinition(basis);
  }

  /** Whether a transaction will compare the state that decides about the request. */
  #compares({ rests, dryRun, served: { stored } }: AdmissionRequest): boolean {
    const { cache } = this.#registry;
    return rests !== undefined && !dryRun && stored !== undefined && cache.home(stored.group, stored.plural) === cache;
  }

  #current(): PolicyBasis {
    const revision = this.#marks.get(POLICY_MARK)?.revision ?? 0;
    let basis = this.#basis;
    if (basis?.mark !== revision) {
      const compared = { key: this.#key, revision, cache: this.#marks, name: POLICY_MARK };
      basis = new PolicyBasis(revision, [compared], async () => void (await mostRecent(this.#registry)));
      this.#basis = basis;
    }
    return basis;
  }

  /** Refreshes the state, once for a request and all callers. */
  #refresh({ context }: AdmissionRequest): Promise<void> | undefined {
    if (this.#fresh.has(context)) return undefined;
    this.#fresh.add(context);
    return mostRecent(this.#registry).then(() => undefined);
  }
}

const known = new WeakMap<Registry, PolicyFreshness>();

/**
 * The policy basis of a registry. All policies of both kinds share it, so that one comparison covers everything that
 * they read.
 */
export function policyFreshness(registry: Registry): PolicyFreshness {
  let freshness = known.get(registry);
  if (freshness === undefined) known.set(registry, (freshness = new PolicyFreshness(registry)));
  return freshness;
}

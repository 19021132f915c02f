import { internalError } from '#base/errors/status-error.ts';
import { DecodeError } from '#schema/objects/decode.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { Evaluator, OutOfBudget } from '../../expressions/admission/evaluator.ts';
import { EvaluationError } from '../../expressions/cel-value.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { applyFields } from '../policies/apply-mutation.ts';
import { MutationError } from '../policies/made-object.ts';
import { type MutatingPolicy, type PolicyMutation, readMutatingPolicy } from '../policies/mutating-policy.ts';
import { MutationReport } from '../policies/mutation-report.ts';
import { carryOut } from '../policies/patch-mutation.ts';
import { type PolicyBinding, readBinding } from '../policies/policy.ts';
import { policyFreshness } from '../policies/policy-basis.ts';
import type { Hook } from '../policies/policy-hooks.ts';
import type { PolicyMetrics } from '../policies/policy-metrics.ts';
import { PolicyRound, type PolicyUse } from '../policies/policy-round.ts';
import { PolicySource } from '../policies/policy-source.ts';
import { mayAskPolicies } from '../policies/policy-targets.ts';
import { CONDITIONS_BUDGET, ConditionError, POLICY_BUDGET } from '../policies/run-expressions.ts';
import { RememberedRounds, type Rounds } from '../rounds.ts';
import { orInternalSoon } from '../webhooks/patched-object.ts';

type Use = PolicyUse<MutatingPolicy, PolicyBinding>;

/** A text that identifies a use of a policy. */
function idOf({ policy, binding, params }: Use): string {
  const { name = '', namespace = '' } = (params?.metadata ?? {}) as { name?: string; namespace?: string };
  return JSON.stringify([policy.name, binding.name, namespace, name]);
}

/** Lets policies change an object, in the order of their names. The server evaluates their expressions itself. */
export function mutatingAdmissionPolicy(environment: PluginEnvironment): AdmissionPlugin {
  const source = new PolicySource<MutatingPolicy, PolicyBinding>(
    environment.cluster,
    { plural: 'mutatingadmissionpolicies', read: readMutatingPolicy },
    { plural: 'mutatingadmissionpolicybindings', read: readBinding },
  );
  const remembered = new RememberedRounds();
  const freshness = policyFreshness(environment.cluster.registry);
  freshness.mutates = true;

  const askAll = async (request: AdmissionRequest, hooks: readonly Hook<MutatingPolicy, PolicyBinding>[]) => {
    const rounds = remembered.of(request);
    rounds.begin(request);
    if (rounds.isIdle(request)) return;
    const run = new MutationRun(request, new PolicyRound(environment, request), rounds, environment.metrics.policies);
    await run.askAll(hooks);
  };

  const ask = (request: AdmissionRequest): Promise<void> | undefined => {
    const hooks = source.hooks(request);
    return hooks.length === 0 || request.object === undefined ? undefined : askAll(request, hooks);
  };

  return {
    name: 'MutatingAdmissionPolicy',
    handles: mayAskPolicies,
    mutate(request) {
      const ready = freshness.beginMutation(request);
      return ready === undefined ? ask(request) : ready.then(() => ask(request));
    },
  };
}

/** One run of the policies over the object of a request. */
class MutationRun {
  readonly #request: AdmissionRequest;
  readonly #round: PolicyRound;
  readonly #rounds: Rounds;
  readonly #report: MutationReport;
  readonly #metrics: PolicyMetrics;

  constructor(request: AdmissionRequest, round: PolicyRound, rounds: Rounds, metrics: PolicyMetrics) {
    this.#request = request;
    this.#round = round;
    this.#rounds = rounds;
    this.#report = new MutationReport(request);
    this.#metrics = metrics;
  }

  async askAll(hooks: readonly Hook<MutatingPolicy, PolicyBinding>[]): Promise<void> {
    const uses: Use[] = [];
    // The original object decides which policies apply.
    for (const hook of hooks) {
      const found = this.#round.uses(hook, (...mistake) => this.#report.addMistake(...mistake));
      for await (const use of found) uses.push(use);
    }
    let changed = false;
    for (const use of uses) if (await this.#ask(use)) changed = true;
    if (changed) {
      this.#rounds.changed();
      if (this.#request.reinvocation !== undefined) this.#request.reinvocation.wanted = true;
    }
    this.#rounds.end(this.#request);
    const refusal = this.#report.refusal();
    if (refusal === undefined) return;
    await this.#round.beforeRefusal();
    throw refusal;
  }

  /** Runs a policy. Resolves to whether it changed the object. */
  async #ask(use: Use): Promise<boolean> {
    const { policy, binding } = use;
    const id = idOf(use);
    if (!this.#rounds.wants(this.#request, id)) return false;
    try {
      if (!(await this.#isWanted(use))) return false;
    } catch (error) {
      if (!(error instanceof ConditionError || error instanceof OutOfBudget)) throw error;
      this.#report.add(policy, binding, error.message);
      return false;
    }
    let changed = false;
    for (const mutation of policy.program().mutations) {
      const started = performance.now();
      const count = (problem?: string) =>
        this.#metrics.mutated(policy.name, binding.name, (performance.now() - started) / 1000, problem);
      try {
        if (await this.#change(use, mutation)) changed = true;
        count();
      } catch (error) {
        count((error as Error).message);
        const isItsOwn =
          error instanceof MutationError || error instanceof EvaluationError || error instanceof OutOfBudget;
        if (!isItsOwn) throw error;
        this.#report.add(policy, binding, error.message);
      }
    }
    if (policy.reinvoked) this.#rounds.asked(id);
    return changed;
  }

  async #isWanted(use: Use): Promise<boolean> {
    const { conditions } = use.policy.program();
    if (conditions.length === 0) return true;
    const evaluator = new Evaluator(await this.#round.inputs(use), [], CONDITIONS_BUDGET);
    return this.#round.runs.allHold(evaluator, conditions);
  }

  /**
   * Makes one change. The variables of a policy are computed from the object after the earlier changes.
   * @throws MutationError if the change cannot be made
   * @throws StatusError (500) if the result is not an object of the kind
   */
  async #change(use: Use, { how, expression }: PolicyMutation): Promise<boolean> {
    const { policy, served } = use;
    const { objects, runs } = this.#round;
    const evaluator = new Evaluator(await this.#round.inputs(use), policy.program().variables, POLICY_BUDGET);
    const result = await runs.run(evaluator, expression);
    if ('error' in result) throw new MutationError(result.error);
    const live = (await objects.newValue(served))!;
    if (how === 'patch') {
      const patched = carryOut(live, result.value);
      if (patched === live) return false;
      this.#checkVersion(use);
      const unknown: string[] = [];
      return orInternalSoon(async () => {
        const changed = await objects.replace(served, patched, (path) => unknown.push(path));
        if (unknown.length === 0) return changed;
        const said = unknown.map((path) => `unknown field "${path}"`).join(', ');
        throw internalError(`strict decoding error: ${said}`);
      });
    }
    const applied = applyFields(live, result.value, objects.schemaIn(served));
    this.#checkVersion(use);
    try {
      return await objects.replace(served, applied);
    } catch (error) {
      if (error instanceof DecodeError) throw new MutationError(error.detail);
      throw error;
    }
  }

  /** Refuses a built-in kind in another version than that of the request. */
  #checkVersion({ served }: Use): void {
    const { served: asked, kind } = this.#request;
    if (served === asked || kind !== undefined || served.model.message === undefined) return;
    const shown = ({ version, type }: Use['served']) => `${version}.${type.kind}`;
    throw new MutationError(`converting (${shown(served)}) to (${shown(asked)}): unknown conversion`);
  }
}

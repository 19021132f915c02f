import type { AdmissionRequest } from '../../api/admission.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { evaluatePolicy } from '../policies/evaluate-policy.ts';
import { policyFreshness } from '../policies/policy-basis.ts';
import type { Hook } from '../policies/policy-hooks.ts';
import { PolicyReport } from '../policies/policy-report.ts';
import { PolicyRound } from '../policies/policy-round.ts';
import { PolicySource } from '../policies/policy-source.ts';
import { mayAskPolicies } from '../policies/policy-targets.ts';
import {
  readPolicy,
  readValidatingBinding,
  type ValidatingBinding,
  type ValidatingPolicy,
} from '../policies/validating-policy.ts';

/** Lets policies check the final object. The server evaluates their expressions itself. */
export function validatingAdmissionPolicy(environment: PluginEnvironment): AdmissionPlugin {
  const source = new PolicySource<ValidatingPolicy, ValidatingBinding>(
    environment.cluster,
    { plural: 'validatingadmissionpolicies', read: readPolicy },
    { plural: 'validatingadmissionpolicybindings', read: readValidatingBinding },
  );
  const freshness = policyFreshness(environment.cluster.registry);

  const askAll = async (
    request: AdmissionRequest,
    hooks: readonly Hook<ValidatingPolicy, ValidatingBinding>[],
  ): Promise<void> => {
    const round = new PolicyRound(environment, request);
    const report = new PolicyReport(environment.naming, request);
    for (const hook of hooks) {
      for await (const use of round.uses(hook, (...mistake) => report.addMistake(...mistake))) {
        const verdict = await evaluatePolicy(use.policy, await round.inputs(use), round.runs);
        environment.metrics.policies.validated(use.policy.name, use.binding, verdict);
        report.add(use.policy, use.binding, verdict);
      }
      report.closePolicy(hook.policy);
    }
    const refusal = report.close();
    if (refusal === undefined) return;
    await round.beforeRefusal();
    throw refusal;
  };

  const ask = (request: AdmissionRequest): Promise<void> | undefined => {
    const hooks = source.hooks(request);
    return hooks.length === 0 ? undefined : askAll(request, hooks);
  };

  return {
    name: 'ValidatingAdmissionPolicy',
    handles: mayAskPolicies,
    validate(request) {
      const ready = freshness.beginValidation(request);
      return ready === undefined ? ask(request) : ready.then(() => ask(request));
    },
  };
}

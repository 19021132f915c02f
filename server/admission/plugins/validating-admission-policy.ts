import { notFound } from '#base/errors/status-error.ts';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#schema/generated/admissionregistration.v1.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { FollowedKind } from '../followed-kind.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { evaluatePolicy } from '../policies/evaluate-policy.ts';
import { versionFor } from '../policies/match-resources.ts';
import { type Hook, PolicyHooks } from '../policies/policy-hooks.ts';
import { ConfigurationError, paramsFor } from '../policies/policy-params.ts';
import { PolicyReport } from '../policies/policy-report.ts';
import { mayAskPolicies } from '../policies/policy-targets.ts';
import { RequestInputs } from '../policies/request-inputs.ts';
import { ExpressionRuns } from '../policies/run-expressions.ts';
import { type PolicyBinding, readBinding, readPolicy, type ValidatingPolicy } from '../policies/validating-policy.ts';
import { ReviewObjects } from '../webhooks/review-objects.ts';
import { namespaceOf, Selection } from '../webhooks/selection.ts';

const GROUP = 'admissionregistration';

type PolicyHook = Hook<ValidatingPolicy, PolicyBinding>;

/** Asks policies about the final object: rules written as expressions, which are evaluated here. */
export function validatingAdmissionPolicy(environment: PluginEnvironment): AdmissionPlugin {
  const { cluster, naming, access } = environment;
  const policies = new FollowedKind(
    cluster,
    GROUP,
    'validatingadmissionpolicies',
    (policy: ValidatingAdmissionPolicy) => [readPolicy(policy)],
  );
  const bindings = new FollowedKind(
    cluster,
    GROUP,
    'validatingadmissionpolicybindings',
    (binding: ValidatingAdmissionPolicyBinding) => [readBinding(binding)],
  );
  const hooks = new PolicyHooks<ValidatingPolicy, PolicyBinding>();

  const namespaceFor = async (request: AdmissionRequest): Promise<Namespace | undefined> => {
    if (!request.served.type.namespaced) return undefined;
    const name = namespaceOf(request);
    const found = await cluster.find<Namespace>('', 'namespaces', name);
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
    return found;
  };

  const askAll = async (request: AdmissionRequest, asked: readonly PolicyHook[]): Promise<void> => {
    const selection = new Selection(cluster, request);
    const objects = new ReviewObjects(cluster.registry, request);
    const inputs = new RequestInputs(naming, access, request, objects);
    const report = new PolicyReport(naming, request);
    const runs = new ExpressionRuns();

    const askPolicy = async ({ policy, match, bindings: bound }: PolicyHook): Promise<void> => {
      const served = versionFor(match, request.name);
      if (served === undefined || !(await selection.selects(policy.match))) return;
      for (const { binding, match: narrowed } of bound) {
        if (versionFor(narrowed, request.name) === undefined) continue;
        if (!(await selection.selects(binding.match))) continue;
        try {
          const params = await paramsFor(cluster, policy.paramKind, binding.paramRef, request);
          const seen = { object: await objects.newValue(served), oldObject: await objects.oldValue(served) };
          const namespace = await namespaceFor(request);
          for (const param of params) {
            const verdict = await evaluatePolicy(policy, inputs.of(served, seen, namespace, param), runs);
            report.add(policy, binding, verdict);
          }
        } catch (error) {
          if (!(error instanceof ConfigurationError)) throw error;
          report.addMistake(policy, binding, error);
          if (error.ofPolicy) break;
        }
      }
      report.closePolicy(policy);
    };

    for (const hook of asked) await askPolicy(hook);
    report.close();
  };

  return {
    name: 'ValidatingAdmissionPolicy',
    handles: mayAskPolicies,
    validate(request) {
      const { served, operation, subresource } = request;
      const asked = hooks.of(policies.current(), bindings.current(), served, operation, subresource);
      return asked.length === 0 ? undefined : askAll(request, asked);
    },
  };
}

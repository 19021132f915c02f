import type { MutatingAdmissionPolicy } from '#schema/generated/admissionregistration.v1.ts';
import { compileAdmission } from '../../expressions/admission/compile-condition.ts';
import type { AdmissionExpression, NamedExpression } from '../../expressions/admission/evaluator.ts';
import type { CelField } from '../../expressions/cel-type.ts';
import { compileConditions, compileVariables, once, storedExpressions } from './compile-conditions.ts';
import { type Policy, readCommon } from './policy.ts';

/** One change of a policy: fields to apply, or the operations of a patch. */
export interface PolicyMutation {
  readonly how: 'apply' | 'patch';
  readonly expression: AdmissionExpression;
}

/** The compiled expressions of a policy that changes objects. */
export interface MutatingProgram {
  readonly conditions: readonly AdmissionExpression[];
  readonly variables: readonly NamedExpression[];
  readonly mutations: readonly PolicyMutation[];
}

/** A policy that changes objects. */
export interface MutatingPolicy extends Policy {
  /** Whether the policy is called again after the object has changed. */
  readonly reinvoked: boolean;
  /** The program. It is compiled at its first use. */
  readonly program: () => MutatingProgram;
}

function compileMutations({ spec = {} }: MutatingAdmissionPolicy): MutatingProgram {
  const params = spec.paramKind != null;
  const known = new Map<string, CelField>();
  const variables = compileVariables(spec.variables, params, known);
  const choice = { params, authorizer: true, variables: known, mutates: true };
  return {
    conditions: compileConditions(spec.matchConditions, params),
    variables,
    mutations: (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) => {
      const applies = patchType === 'ApplyConfiguration';
      const text = (applies ? applyConfiguration : jsonPatch)?.expression ?? '';
      const answers = applies ? (['Object'] as const) : (['list(JSONPatch)'] as const);
      const expression = compileAdmission(text.trim(), choice, answers, storedExpressions);
      return { how: applies ? 'apply' : 'patch', expression };
    }),
  };
}

/** Reads a stored policy. Missing fields have their defaults. */
export function readMutatingPolicy(policy: MutatingAdmissionPolicy): MutatingPolicy {
  return {
    ...readCommon(policy),
    reinvoked: policy.spec?.reinvocationPolicy === 'IfNeeded',
    program: once(() => compileMutations(policy)),
  };
}

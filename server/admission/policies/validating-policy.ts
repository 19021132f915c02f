import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#schema/generated/admissionregistration.v1.ts';
import { type Answers, compileAdmission } from '../../expressions/admission/compile-condition.ts';
import type { AdmissionExpression, NamedExpression } from '../../expressions/admission/evaluator.ts';
import type { VariableChoice } from '../../expressions/admission/variable-types.ts';
import type { CelField } from '../../expressions/cel-type.ts';
import { compileConditions, compileVariables, once, storedExpressions } from './compile-conditions.ts';
import { type Policy, type PolicyBinding, readBinding, readCommon } from './policy.ts';

/** A rule of a policy. */
export interface PolicyRule {
  readonly rule: AdmissionExpression;
  /** The message of a failed validation. If it is undefined, the message shows the rule itself. */
  readonly message: string | undefined;
  readonly messageExpression: AdmissionExpression | undefined;
  /** The reason of the refusal, in the form of a Status. */
  readonly reason: string;
}

/** The audit annotations. */
export interface PolicyAnnotation {
  readonly key: string;
  readonly value: AdmissionExpression;
}

/** The compiled expressions of a policy. */
export interface PolicyProgram {
  readonly conditions: readonly AdmissionExpression[];
  readonly variables: readonly NamedExpression[];
  readonly rules: readonly PolicyRule[];
  readonly annotations: readonly PolicyAnnotation[];
}

/** A policy that validates. */
export interface ValidatingPolicy extends Policy {
  /** The program. It is compiled at its first use. */
  readonly program: () => PolicyProgram;
}

/** A binding of a policy. */
export interface ValidatingBinding extends PolicyBinding {
  readonly actions: readonly string[];
}

function compilePolicy({ spec = {} }: ValidatingAdmissionPolicy): PolicyProgram {
  const params = spec.paramKind != null;
  const known = new Map<string, CelField>();
  const variables = compileVariables(spec.variables, params, known);
  const sight: VariableChoice = { params, variables: known };
  const compile = (text: string, choice: VariableChoice, answers: Answers): AdmissionExpression =>
    compileAdmission(text, choice, answers, storedExpressions);
  const asking = { ...sight, authorizer: true };
  return {
    conditions: compileConditions(spec.matchConditions, params),
    variables,
    rules: (spec.validations ?? []).map(({ expression, message = '', messageExpression = '', reason }) => ({
      rule: compile(expression, asking, ['bool']),
      message: message.trim() === '' ? undefined : message.trim(),
      messageExpression: messageExpression === '' ? undefined : compile(messageExpression, sight, ['string']),
      reason: reason ?? 'Invalid',
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      value: compile(valueExpression.trim(), asking, ['string', 'null_type']),
    })),
  };
}

/** Reads a stored policy. Missing fields have their defaults. */
export function readPolicy(policy: ValidatingAdmissionPolicy): ValidatingPolicy {
  return { ...readCommon(policy), program: once(() => compilePolicy(policy)) };
}

/** Reads a stored binding. */
export function readValidatingBinding(binding: ValidatingAdmissionPolicyBinding): ValidatingBinding {
  return { ...readBinding(binding), actions: binding.spec?.validationActions ?? [] };
}

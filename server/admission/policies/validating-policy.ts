import type {
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Variable,
} from '#schema/generated/admissionregistration.v1.ts';
import { type Answers, compileAdmission } from '../../expressions/admission/compile-condition.ts';
import type { AdmissionExpression, NamedExpression } from '../../expressions/admission/evaluator.ts';
import type { VariableChoice } from '../../expressions/admission/variable-types.ts';
import { type CelField, DYN } from '../../expressions/cel-type.ts';
import { compileConditions, once, storedExpressions } from './compile-conditions.ts';
import { type Match, matchOf } from './match-resources.ts';

/** A rule of a policy. */
export interface PolicyRule {
  readonly rule: AdmissionExpression;
  /** What it says when it is broken; undefined where the rule itself is shown. */
  readonly message: string | undefined;
  readonly messageExpression: AdmissionExpression | undefined;
  /** The reason of the refusal, as in a Status. */
  readonly reason: string;
}

/** What is noted in the audit log. */
export interface PolicyAnnotation {
  readonly key: string;
  readonly value: AdmissionExpression;
}

/** The expressions of a policy, compiled. */
export interface PolicyProgram {
  readonly conditions: readonly AdmissionExpression[];
  readonly variables: readonly NamedExpression[];
  readonly rules: readonly PolicyRule[];
  readonly annotations: readonly PolicyAnnotation[];
}

/** A policy, read so that asking whether it is for a request costs little. */
export interface ValidatingPolicy {
  readonly name: string;
  readonly match: Match;
  readonly paramKind: ParamKind | undefined;
  /** What cannot be evaluated lets the request pass. */
  readonly failsOpen: boolean;
  /** Compiled when it is first needed. */
  readonly program: () => PolicyProgram;
}

/** A binding of a policy. */
export interface PolicyBinding {
  readonly name: string;
  readonly policy: string;
  readonly match: Match;
  readonly paramRef: ParamRef | undefined;
  readonly actions: readonly string[];
}

/**
 * Compiles variables: each sees those before it.
 * @param known gets their types
 */
function compileVariables(
  variables: readonly Variable[] | undefined,
  params: boolean,
  known: Map<string, CelField>,
): NamedExpression[] {
  return (variables ?? []).map(({ name, expression: text }) => {
    const choice = { params, authorizer: true, variables: known };
    const expression = compileAdmission(text, choice, [], storedExpressions);
    const type = 'problem' in expression ? DYN : expression.expression.type;
    known.set(name, { name, type, size: 0 });
    return { name, expression };
  });
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
      value: compile(valueExpression.trim(), asking, ['string', 'null']),
    })),
  };
}

/** A policy as it is stored. Missing fields are read as their defaults. */
export function readPolicy(policy: ValidatingAdmissionPolicy): ValidatingPolicy {
  const { metadata, spec } = policy;
  return {
    name: metadata.name ?? '',
    match: matchOf(spec?.matchConstraints),
    paramKind: spec?.paramKind ?? undefined,
    failsOpen: spec?.failurePolicy === 'Ignore',
    program: once(() => compilePolicy(policy)),
  };
}

/** A binding as it is stored. */
export function readBinding({ metadata, spec }: ValidatingAdmissionPolicyBinding): PolicyBinding {
  return {
    name: metadata.name ?? '',
    policy: spec?.policyName ?? '',
    match: matchOf(spec?.matchResources),
    paramRef: spec?.paramRef ?? undefined,
    actions: spec?.validationActions ?? [],
  };
}

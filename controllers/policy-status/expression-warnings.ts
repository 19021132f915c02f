import { latestRelease } from '#base/release/release.ts';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '#schema/generated/admissionregistration.v1.ts';
import { compileAdmission } from '#server/expressions/admission/compile-condition.ts';
import { type CelField, type CelType, DYN } from '#server/expressions/cel-type.ts';
import { environmentOf } from '#server/expressions/environment.ts';
import type { Kind } from './matched-kinds.ts';

/** A kind that a policy is for, and the type of its objects. */
export interface TypedKind extends Kind {
  readonly type: CelType;
}

/** The features of all releases, because stored policies may use them. */
const environment = environmentOf(latestRelease);
const FAILED = 'compilation failed: ';

/**
 * Type errors in the rules and messages of a policy for objects of these kinds. They do not change the decisions of the
 * policy.
 * @param parameters the type of its parameters; undefined if unknown
 */
export function expressionWarnings(
  { spec = {} }: ValidatingAdmissionPolicy,
  kinds: readonly TypedKind[],
  parameters: CelType | undefined,
): ExpressionWarning[] {
  const params = spec.paramKind != null;
  const checks = kinds.map((kind) => {
    const variables = new Map<string, CelField>();
    const choice = { params, parameters, authorizer: true, object: kind.type, variables };
    for (const { name, expression } of spec.variables ?? []) {
      const compiled = compileAdmission(expression, choice, [], environment);
      variables.set(name, { name, type: 'problem' in compiled ? DYN : compiled.expression.type, size: 0 });
    }
    return { kind, choice };
  });
  const check = (fieldRef: string, text: string): ExpressionWarning[] => {
    const found = checks.flatMap(({ kind, choice }) => {
      const compiled = compileAdmission(text, choice, [], environment);
      if (!('problem' in compiled) || !compiled.problem.startsWith(FAILED)) return [];
      return [`${kindText(kind)}: ${compiled.problem.slice(FAILED.length)}\n`];
    });
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join('\n') }];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, i) => [
    ...check(`spec.validations[${i}].expression`, expression),
    ...(messageExpression === '' ? [] : check(`spec.validations[${i}].messageExpression`, messageExpression)),
  ]);
}

function kindText({ group, version, kind }: Kind): string {
  return `${group}/${version}, Kind=${kind}`;
}

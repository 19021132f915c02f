import { latestRelease } from '#base/release/release.ts';
import type { MatchCondition, Variable } from '#schema/generated/admissionregistration.v1.ts';
import { compileAdmission } from '../../expressions/admission/compile-condition.ts';
import type { AdmissionExpression, NamedExpression } from '../../expressions/admission/evaluator.ts';
import { type CelField, DYN } from '../../expressions/cel-type.ts';
import { environmentOf } from '../../expressions/environment.ts';

/**
 * The environment of stored expressions. It has the functions of all releases, because a replica of another release may
 * have accepted the expression.
 */
export const storedExpressions = environmentOf(latestRelease);

/** Compiles the conditions that decide whether a policy or webhook is called. */
export function compileConditions(
  conditions: readonly MatchCondition[] | undefined,
  params: boolean,
): readonly AdmissionExpression[] {
  const choice = { params, authorizer: true };
  return (conditions ?? []).map(({ expression }) =>
    compileAdmission(expression.trim(), choice, ['bool'], storedExpressions),
  );
}

/**
 * Compiles variables. The expression of a variable can use the variables before it.
 *
 * @param known the types of the variables by name; the function adds the type of each variable
 */
export function compileVariables(
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

/** A function that computes a result at its first call, and returns the same result at every call. */
export function once<T extends object>(work: () => T): () => T {
  let done: T | undefined;
  return () => (done ??= work());
}

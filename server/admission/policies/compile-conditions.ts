import { latestRelease } from '#base/release/release.ts';
import type { MatchCondition } from '#schema/generated/admissionregistration.v1.ts';
import { compileAdmission } from '../../expressions/admission/compile-condition.ts';
import type { AdmissionExpression } from '../../expressions/admission/evaluator.ts';
import { environmentOf } from '../../expressions/environment.ts';

/** What was stored may use all that any release knows, as another release may have taken it. */
export const storedExpressions = environmentOf(latestRelease);

/** Compiles conditions under which a policy or a webhook is asked. */
export function compileConditions(
  conditions: readonly MatchCondition[] | undefined,
  params: boolean,
): readonly AdmissionExpression[] {
  const choice = { params, authorizer: true };
  return (conditions ?? []).map(({ expression }) =>
    compileAdmission(expression.trim(), choice, ['bool'], storedExpressions),
  );
}

/** Does a work once, when its result is first needed. */
export function once<T extends object>(work: () => T): () => T {
  let done: T | undefined;
  return () => (done ??= work());
}

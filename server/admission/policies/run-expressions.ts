import { TimeSlice } from '#base/time/time-slice.ts';
import { Pending } from '../../expressions/access-values.ts';
import type { AdmissionExpression, Evaluated, Evaluator } from '../../expressions/admission/evaluator.ts';

/** The total cost limit of the conditions of one policy or webhook. */
export const CONDITIONS_BUDGET = 2_500_000;

/** The total cost limit of a policy's rules for one binding and one parameter object. */
export const POLICY_BUDGET = 10_000_000;

/** Runs expressions one after the other. Other requests run between them, and during calls of the authorizer. */
export class ExpressionRuns {
  readonly #slice = new TimeSlice();

  /** @throws OutOfBudget */
  async run(evaluator: Evaluator, expression: AdmissionExpression): Promise<Evaluated> {
    for (;;) {
      if (this.#slice.over) await this.#slice.yield();
      try {
        return evaluator.evaluate(expression);
      } catch (error) {
        if (!(error instanceof Pending)) throw error;
        await error.ready;
      }
    }
  }

  /**
   * Whether all conditions hold. If a condition does not hold, the result is false, even if others have errors.
   * @throws ConditionError if some cannot be evaluated and all others hold
   */
  async allHold(evaluator: Evaluator, conditions: readonly AdmissionExpression[]): Promise<boolean> {
    const errors: string[] = [];
    for (const condition of conditions) {
      const result = await this.run(evaluator, condition);
      if ('error' in result) errors.push(result.error);
      else if (result.value !== true) return false;
    }
    if (errors.length > 0) throw new ConditionError(errors);
    return true;
  }
}

/** The error that conditions cannot be evaluated. */
export class ConditionError extends Error {
  constructor(errors: readonly string[]) {
    const distinct = [...new Set(errors)];
    super(distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`);
  }
}

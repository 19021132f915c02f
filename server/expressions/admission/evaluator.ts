import { type CelMap, type CelValue, EvaluationError } from '../cel-value.ts';
import { Budget, type Evaluation, OverBudgetError } from '../expression.ts';
import type { RunnableExpression, UnusableExpression } from './compile-condition.ts';

/** The cost limit of one evaluation. */
const EVALUATION_BUDGET = 1_000_000;

/** A compiled expression. */
export type AdmissionExpression = RunnableExpression | UnusableExpression;

/** A variable of a policy. */
export interface NamedExpression {
  readonly name: string;
  readonly expression: AdmissionExpression;
}

/** The result of an expression: a value, or the reason of its failure. */
export type Evaluated = { readonly value: CelValue } | { readonly error: string };

/**
 * The error that the cost budget for the expressions of one request is used up. The server ignores the results of all
 * of them.
 */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** Runs the expressions of a policy or webhook for one request. They share a budget. */
export class Evaluator {
  readonly #inputs: (name: string) => CelValue;
  readonly #variables: Variables;
  #left: number;

  /**
   * @param inputs the values of variables by name, except `variables`
   * @param variables the variables of a policy, in their order; of two with the same name the last one is used
   * @param budget the budget of all evaluations together
   */
  constructor(inputs: (name: string) => CelValue, variables: readonly NamedExpression[], budget: number) {
    this.#variables = new Variables(variables, (expression) => this.#run(expression));
    this.#inputs = (name) => (name === 'variables' ? this.#variables : inputs(name));
    this.#left = budget;
  }

  /**
   * @throws Pending if an answer of the authorizer is still missing; the caller tries again later
   * @throws OutOfBudget
   */
  evaluate(expression: AdmissionExpression): Evaluated {
    if ('problem' in expression) return { error: `compilation error: ${expression.problem}` };
    try {
      return { value: this.#run(expression) };
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return { error: `expression '${expression.text}' resulted in error: ${error.message}` };
    }
  }

  /** @throws EvaluationError, Pending and OutOfBudget */
  #run({ expression }: RunnableExpression): CelValue {
    const units = Math.min(EVALUATION_BUDGET, this.#left);
    const budget = new Budget(units);
    const evaluation: Evaluation = { self: null, oldSelf: undefined, inputs: this.#inputs, locals: [], budget };
    try {
      return expression.run(evaluation);
    } catch (error) {
      if (!(error instanceof OverBudgetError)) throw error;
      if (units < EVALUATION_BUDGET) throw new OutOfBudget();
      throw new EvaluationError('operation cancelled: actual cost limit exceeded');
    } finally {
      this.#left -= units - Math.max(budget.left, 0);
    }
  }
}

/** The variables of a policy. Each runs when its value is first needed, and only once. */
class Variables implements CelMap {
  readonly isMap = true;
  readonly #expressions: ReadonlyMap<string, AdmissionExpression>;
  readonly #run: (expression: RunnableExpression) => CelValue;
  readonly #known = new Map<string, CelValue | EvaluationError>();

  constructor(variables: readonly NamedExpression[], run: (expression: RunnableExpression) => CelValue) {
    this.#expressions = new Map(variables.map(({ name, expression }) => [name, expression]));
    this.#run = run;
  }

  get size(): number {
    return this.#expressions.size;
  }

  keys(): readonly CelValue[] {
    return [...this.#expressions.keys()];
  }

  get(key: CelValue): CelValue | undefined {
    const name = key as string;
    const expression = this.#expressions.get(name);
    if (expression === undefined) return undefined;
    let value = this.#known.get(name);
    if (value === undefined) this.#known.set(name, (value = this.#compute(name, expression)));
    if (value instanceof EvaluationError) throw value;
    return value;
  }

  #compute(name: string, expression: AdmissionExpression): CelValue | EvaluationError {
    const shown = JSON.stringify(name);
    if ('problem' in expression) {
      return new EvaluationError(`composited variable ${shown} fails to compile: ${expression.problem}`);
    }
    // A variable that needs itself, through an earlier variable of the same name, does not have a value.
    this.#known.set(name, new EvaluationError(`composited variable ${shown} needs its own value`));
    try {
      return this.#run(expression);
    } catch (error) {
      this.#known.delete(name);
      if (!(error instanceof EvaluationError)) throw error;
      return new EvaluationError(`composited variable ${shown} fails to evaluate: ${error.message}`);
    }
  }
}

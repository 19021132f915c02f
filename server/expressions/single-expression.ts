import type { Release } from '#base/release/release.ts';
import { type CelType, DYN, type SimpleKind, typeText } from './cel-type.ts';
import { type CelValue, EvaluationError } from './cel-value.ts';
import { CheckError } from './check-error.ts';
import { compileExpression } from './compile-expression.ts';
import { environmentOf } from './environment.ts';
import { Budget, OverBudgetError } from './expression.ts';
import type { Variable } from './scope.ts';

/** The cost limit of one evaluation. */
const BUDGET = 1_000_000;

const ROOT = { type: DYN, size: 1 };

/** A compiled expression from a file of an operator. */
export interface SingleExpression {
  readonly text: string;
  /**
   * Evaluates the expression.
   * @param inputs the values of its variables by their names
   * @throws EvaluationError
   */
  run(inputs: (name: string) => CelValue): CelValue;
}

/** The types of the variables that get their values when an expression is run. */
export function inputVariables(types: Readonly<Record<string, CelType>>): ReadonlyMap<string, Variable> {
  return new Map(
    Object.entries(types).map(([name, type]): [string, Variable] => [name, { type, place: 'nowhere', slot: 'input' }]),
  );
}

/**
 * Compiles a single expression.
 *
 * @param answers the allowed types of the result; empty means any type
 * @returns a text with the error if the expression is not valid
 */
export function compileSingle(
  text: string,
  variables: ReadonlyMap<string, Variable>,
  answers: readonly (SimpleKind | 'list')[],
  release: Release,
): SingleExpression | string {
  try {
    const { type, hopeless, run } = compileExpression(text, variables, ROOT, environmentOf(release));
    if (hopeless !== undefined) return `program instantiation failed: ${hopeless}`;
    if (answers.length > 0 && !answers.includes(type.kind as SimpleKind)) {
      const wanted = answers.length === 1 ? answers[0]! : `one of [${answers.join(' ')}]`;
      return `must evaluate to ${wanted} but got ${typeText(type)}`;
    }
    return {
      text,
      run(inputs) {
        try {
          return run({ self: null, oldSelf: undefined, inputs, locals: [], budget: new Budget(BUDGET) });
        } catch (error) {
          if (error instanceof OverBudgetError)
            throw new EvaluationError('operation cancelled: actual cost limit exceeded');
          throw error;
        }
      },
    };
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return `compilation failed: ${error.message}`;
  }
}

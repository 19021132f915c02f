import type { JsonValue } from '#base/json/json-value.ts';
import { BOOL, fits } from '../../expressions/cel-type.ts';
import type { CelValue } from '../../expressions/cel-value.ts';
import { CheckError } from '../../expressions/check-error.ts';
import { type CompiledExpression, compileExpression } from '../../expressions/compile-expression.ts';
import type { ExpressionEnvironment } from '../../expressions/environment.ts';
import { Budget } from '../../expressions/expression.ts';
import type { Variable } from '../../expressions/scope.ts';
import type { SchemaRule, StructuralSchema } from '../schema/structural-schema.ts';
import { timedRule } from './rule-times.ts';
import { fromJson, typeOfSchema } from './schema-type.ts';

/** The most that one evaluation of a rule may cost. */
const EVALUATION_BUDGET = 1_000_000;

/** A rule that can be run. */
export interface CompiledRule {
  /** The most that a run may cost, estimated. */
  readonly cost: number;
  /** Asks for the value before the change: it runs only where there is one. */
  readonly isTransition: boolean;
  /**
   * Whether the rule holds. `budget` is that of the object.
   * @throws EvaluationError or an OverBudgetError
   */
  holds(value: JsonValue, old: JsonValue | undefined, budget: Budget): boolean;
}

/** A rule that cannot be run, and why. */
export interface BrokenRule {
  readonly problem: string;
}

/** Compiles a rule against the type of its schema; `environment` is what it may use. */
export function compileRule(
  { rule }: SchemaRule,
  schema: StructuralSchema,
  isRoot: boolean,
  environment: ExpressionEnvironment,
): CompiledRule | BrokenRule {
  const isResource = isRoot || schema.embedded;
  const sized = typeOfSchema(schema, isResource);
  if (sized === undefined) return { problem: 'compilation failed: the schema of the value says too little about it' };
  const { type } = sized;
  const variables = new Map<string, Variable>([
    ['self', { type, place: sized, slot: 'self' }],
    ['oldSelf', { type, place: sized, slot: 'oldSelf' }],
  ]);
  let expression: CompiledExpression;
  try {
    expression = timedRule('compiled', () => compileExpression(rule, variables, sized, environment));
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return { problem: `compilation failed: ${error.message}` };
  }
  if (!fits(expression.type, BOOL) || expression.type.kind === 'dyn') {
    return { problem: 'cel expression must evaluate to a bool' };
  }
  if (expression.hopeless !== undefined) return { problem: `program instantiation failed: ${expression.hopeless}` };
  return {
    cost: expression.cost,
    isTransition: expression.usesOld,
    holds: (value, old, budget) => {
      const own = new Budget(EVALUATION_BUDGET);
      try {
        const evaluation = {
          self: fromJson(schema, value, isResource),
          oldSelf: old === undefined ? undefined : fromJson(schema, old, isResource),
          locals: [] as CelValue[],
          budget: own,
        };
        return timedRule('evaluated', () => expression.run(evaluation) === true);
      } finally {
        budget.spend(EVALUATION_BUDGET - Math.max(own.left, 0));
      }
    },
  };
}

import type { FieldPath } from '#base/errors/field-error.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { BOOL, type CelType, fits, optionalOf, STRING } from '../../expressions/cel-type.ts';
import { type CelValue, OptionalValue } from '../../expressions/cel-value.ts';
import { CheckError } from '../../expressions/check-error.ts';
import { type CompiledExpression, compileExpression } from '../../expressions/compile-expression.ts';
import type { ExpressionEnvironment } from '../../expressions/environment.ts';
import { Budget } from '../../expressions/expression.ts';
import type { Variable } from '../../expressions/scope.ts';
import type { Sized } from '../../expressions/sizes.ts';
import { findField, structuralSteps } from '../schema/field-path.ts';
import type { SchemaRule, StructuralSchema } from '../schema/structural-schema.ts';
import { timedRule } from './rule-times.ts';
import { fromJson, typeOfSchema } from './schema-type.ts';

/** The cost limit of one evaluation of a rule. */
const EVALUATION_BUDGET = 1_000_000;

/** A rule that can be run. */
export interface CompiledRule {
  /** The estimated cost limit of a run. */
  readonly cost: number;
  /** Whether it reads the old value. Such a rule runs only on changes, unless it has `takesNew`. */
  readonly isTransition: boolean;
  /** Whether it also runs on new values, although it reads the old value. */
  readonly takesNew: boolean;
  /** The path of the error, starting at the value. */
  readonly fieldPath: FieldPath | undefined;
  /** The message expression; undefined if the rule has none. */
  readonly message: CompiledMessage | BrokenRule | undefined;
  /**
   * Whether the rule holds. `budget` is the budget of the object.
   * @throws EvaluationError or an OverBudgetError
   */
  holds(value: JsonValue, old: JsonValue | undefined, budget: Budget): boolean;
}

/** An expression that makes the message of a rule. */
export interface CompiledMessage {
  /** The estimated cost limit of a run. */
  readonly cost: number;
  /**
   * The result of the expression for a value. `budget` is the budget of the object.
   * @throws EvaluationError or an OverBudgetError
   */
  of(value: JsonValue, old: JsonValue | undefined, budget: Budget): CelValue;
}

/** A rule that cannot be run, with the reason. */
export interface BrokenRule {
  readonly problem: string;
}

/**
 * Compiles a rule for the type of its schema. `environment` has the functions that the rule and its message may use.
 */
export function compileRule(
  rule: SchemaRule,
  schema: StructuralSchema,
  isRoot: boolean,
  environment: ExpressionEnvironment,
  messageEnvironment = environment,
): CompiledRule | BrokenRule {
  const isResource = isRoot || schema.embedded;
  const sized = typeOfSchema(schema, isResource);
  if (sized === undefined) return { problem: 'compilation failed: the schema of the value says too little about it' };
  const takesNew = rule.optionalOldSelf === true;
  const compile = (text: string, type: CelType, own: ExpressionEnvironment, words: Words) =>
    compileTyped(text, type, variablesOf(sized, takesNew), sized, own, words);
  const expression = compile(rule.rule, BOOL, environment, RULE_WORDS);
  if ('problem' in expression) return expression;
  const message =
    rule.messageExpression === ''
      ? undefined
      : compile(rule.messageExpression, STRING, messageEnvironment, MESSAGE_WORDS);
  const field = rule.fieldPath === '' ? undefined : findField(rule.fieldPath, schema, structuralSteps);
  const evaluate = (own: CompiledExpression, value: JsonValue, old: JsonValue | undefined, budget: Budget) => {
    const spent = new Budget(EVALUATION_BUDGET);
    try {
      const before = old === undefined ? undefined : fromJson(schema, old, isResource);
      const evaluation = {
        self: fromJson(schema, value, isResource),
        oldSelf: takesNew ? OptionalValue.of(before) : before,
        locals: [] as CelValue[],
        budget: spent,
      };
      return timedRule('evaluated', () => own.run(evaluation));
    } finally {
      budget.spend(EVALUATION_BUDGET - Math.max(spent.left, 0));
    }
  };
  return {
    cost: expression.cost,
    isTransition: expression.usesOld,
    takesNew,
    fieldPath: typeof field === 'object' ? field.path : undefined,
    message:
      message === undefined || 'problem' in message
        ? message
        : { cost: message.cost, of: (value, old, budget) => evaluate(message, value, old, budget) },
    holds: (value, old, budget) => evaluate(expression, value, old, budget) === true,
  };
}

function variablesOf(sized: Sized, takesNew: boolean): ReadonlyMap<string, Variable> {
  const { type } = sized;
  return new Map<string, Variable>([
    ['self', { type, place: sized, slot: 'self' }],
    ['oldSelf', { type: takesNew ? optionalOf(type) : type, place: sized, slot: 'oldSelf' }],
  ]);
}

/** How errors name problems of an expression. */
interface Words {
  readonly compilation: string;
  readonly instantiation: string;
  readonly type: string;
}

const RULE_WORDS: Words = {
  compilation: 'compilation failed',
  instantiation: 'program instantiation failed',
  type: 'cel expression must evaluate to a bool',
};
const MESSAGE_WORDS: Words = {
  compilation: 'messageExpression compilation failed',
  instantiation: 'messageExpression instantiation failed',
  type: 'messageExpression must evaluate to a string',
};

function compileTyped(
  text: string,
  type: CelType,
  variables: ReadonlyMap<string, Variable>,
  sized: Sized,
  environment: ExpressionEnvironment,
  words: Words,
): CompiledExpression | BrokenRule {
  let expression: CompiledExpression;
  try {
    expression = timedRule('compiled', () => compileExpression(text, variables, sized, environment));
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return { problem: `${words.compilation}: ${error.message}` };
  }
  if (!fits(expression.type, type) || expression.type.kind === 'dyn') return { problem: words.type };
  if (expression.hopeless === undefined) return expression;
  return { problem: `${words.instantiation}: ${expression.hopeless}` };
}

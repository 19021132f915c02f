import { DYN, MAX_SIZE, typeText } from '../cel-type.ts';
import { CheckError } from '../check-error.ts';
import { type CompiledExpression, compileExpression } from '../compile-expression.ts';
import { type ExpressionEnvironment, forMutations } from '../environment.ts';
import { admissionVariables, type VariableChoice } from './variable-types.ts';

/** An expression that can be run. */
export interface RunnableExpression {
  readonly text: string;
  readonly expression: CompiledExpression;
}

/** An expression that cannot be run, with the reason. */
export interface UnusableExpression {
  readonly text: string;
  readonly problem: string;
}

/** The allowed types of the result of an admission expression. Empty means any type. */
export type Answers = readonly ('bool' | 'string' | 'null_type' | 'Object' | 'list(JSONPatch)')[];

const ROOT = { type: DYN, size: MAX_SIZE };

/** Parses and checks an expression of admission: a condition, a rule of a policy, the text of a message. */
export function compileAdmission(
  text: string,
  choice: VariableChoice,
  answers: Answers,
  environment: ExpressionEnvironment,
): RunnableExpression | UnusableExpression {
  try {
    const known = choice.mutates === true ? forMutations(environment) : environment;
    const expression = compileExpression(text, admissionVariables(choice), ROOT, known);
    const { type, hopeless } = expression;
    const name = type.kind === 'null' ? 'null_type' : typeText(type);
    if (answers.length > 0 && !(answers as readonly string[]).includes(name)) {
      const wanted = answers.length === 1 ? answers[0]! : `one of [${answers.join(' ')}]`;
      return { text, problem: `must evaluate to ${wanted} but got ${name}` };
    }
    if (hopeless !== undefined) return { text, problem: `program instantiation failed: ${hopeless}` };
    return { text, expression };
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return { text, problem: `compilation failed: ${error.message}` };
  }
}

import { type CelType, DYN, MAX_SIZE, typeText } from '../cel-type.ts';
import { CheckError } from '../check-error.ts';
import { type CompiledExpression, compileExpression } from '../compile-expression.ts';
import type { ExpressionEnvironment } from '../environment.ts';
import { admissionVariables, type VariableChoice } from './variable-types.ts';

/** An expression that can be run. */
export interface RunnableExpression {
  readonly text: string;
  readonly expression: CompiledExpression;
}

/** An expression that cannot be run, and why. */
export interface UnusableExpression {
  readonly text: string;
  readonly problem: string;
}

/** What an expression of admission may come to, by the kinds of types; any where it is empty. */
export type Answers = readonly ('bool' | 'string' | 'null')[];

const ROOT = { type: DYN, size: MAX_SIZE };

/** Parses and checks an expression of admission: a condition, a rule of a policy, the text of a message. */
export function compileAdmission(
  text: string,
  choice: VariableChoice,
  answers: Answers,
  environment: ExpressionEnvironment,
): RunnableExpression | UnusableExpression {
  try {
    const expression = compileExpression(text, admissionVariables(choice), ROOT, environment);
    const { type, hopeless } = expression;
    if (answers.length > 0 && !answers.includes(type.kind as Answers[number])) {
      return { text, problem: wrongAnswer(answers, type) };
    }
    if (hopeless !== undefined) return { text, problem: `program instantiation failed: ${hopeless}` };
    return { text, expression };
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return { text, problem: `compilation failed: ${error.message}` };
  }
}

function wrongAnswer(answers: Answers, type: CelType): string {
  const names = answers.map((kind) => (kind === 'null' ? 'null_type' : kind));
  const wanted = names.length === 1 ? names[0]! : `one of [${names.join(' ')}]`;
  return `must evaluate to ${wanted} but got ${type.kind === 'null' ? 'null_type' : typeText(type)}`;
}

import { Environment, ParseError } from '@marcbachmann/cel-js';
import { checkError } from './check-error.ts';
import type { ExpressionEnvironment } from './environment.ts';
import type { Expression, Node } from './expression.ts';
import { NodeCompiler } from './node-compiler.ts';
import { respelled } from './respelled.ts';
import { Scope, type Variable } from './scope.ts';
import type { Sized } from './sizes.ts';

/** Limits of the parser. A definition with a longer rule is refused. */
const MAX_RULE = 100_000;
const LIMITS = { maxAstNodes: 10_000, maxDepth: 250 };
const parser = new Environment({ limits: LIMITS });
const optionalParser = new Environment({ limits: LIMITS, enableOptionalTypes: true });

/** An expression with the facts known about it besides its type. */
export interface CompiledExpression extends Expression {
  /** Whether it uses `oldSelf`. */
  readonly usesOld: boolean;
  /** Why it can never succeed although its types are right. An example is `int("x")`. */
  readonly hopeless: string | undefined;
}

/**
 * Parses and checks an expression. `variables` are the variables that it may use, `root` is the type of `self`, and
 * `environment` has the functions, macros and operators.
 * @throws CheckError with the place of the error
 */
export function compileExpression(
  rule: string,
  variables: ReadonlyMap<string, Variable>,
  root: Sized,
  environment: ExpressionEnvironment,
): CompiledExpression {
  if (rule.length > MAX_RULE) throw checkError('', 0, `expression code point size exceeds limit: ${MAX_RULE}`);
  const known = respelled(rule, environment.hasOptionals);
  const compiler = new NodeCompiler(rule, known, root, environment);
  let node: Node;
  try {
    node = (environment.hasOptionals ? optionalParser : parser).parse(known.text).ast as Node;
  } catch (error) {
    if (error instanceof RangeError) throw checkError(rule, 0, 'Syntax error: max recursion depth exceeded');
    if (!(error instanceof ParseError)) throw error;
    const reserved = /^Reserved identifier: (.*)$/.exec(error.summary)?.[1];
    const problem = reserved === undefined ? `Syntax error: ${error.summary}` : `reserved identifier: ${reserved}`;
    throw checkError(rule, known.origin(error.range?.start ?? 0), problem);
  }
  try {
    const expression = compiler.compile(node, new Scope(variables));
    return { ...expression, usesOld: compiler.usesOld, hopeless: compiler.hopeless };
  } catch (error) {
    if (error instanceof RangeError) throw checkError(rule, 0, 'Syntax error: max recursion depth exceeded');
    throw error;
  }
}

import type { Expression, ExpressionCompiler, Node } from '../expression.ts';
import type { Scope } from '../scope.ts';

/** A call of a macro: the arguments are not run before, as they stand in what the macro makes of them. */
export interface MacroCall {
  readonly node: Node;
  /** What the macro is called on. */
  readonly of: Node;
  readonly args: readonly Node[];
}

/** A method that runs an argument as often as it likes, with variables of its own. */
export interface Macro {
  readonly name: string;
  /** The number of arguments. */
  readonly takes: number;
  /** @throws CheckError when the arguments are not what it takes */
  compile(compiler: ExpressionCompiler, call: MacroCall, scope: Scope): Expression;
}

import type { Expression, ExpressionCompiler, Node } from '../expression.ts';
import type { Scope } from '../scope.ts';

/** A call of a macro. Its arguments are not evaluated before, because the macro itself evaluates them. */
export interface MacroCall {
  readonly node: Node;
  /** The receiver of the macro. */
  readonly of: Node;
  readonly args: readonly Node[];
}

/** A macro: a method that evaluates an argument any number of times, with additional variables. */
export interface Macro {
  readonly name: string;
  /** The number of arguments. */
  readonly takes: number;
  /** @throws CheckError if the arguments do not fit */
  compile(compiler: ExpressionCompiler, call: MacroCall, scope: Scope): Expression;
}

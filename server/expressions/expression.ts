import type { ASTNode } from '@marcbachmann/cel-js';

import type { CelValue } from './cel-value.ts';
import type { MessageTypes } from './messages.ts';
import type { Scope } from './scope.ts';
import { type Operand, type Sized, STRING_FACTOR } from './sizes.ts';

/** The cost limit of an expression's run, and its cost so far. */
export class Budget {
  #left: number;

  constructor(units: number) {
    this.#left = units;
  }

  get left(): number {
    return this.#left;
  }

  /** @throws OverBudgetError if the budget is used up */
  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new OverBudgetError();
  }

  /** Charges a walk over this many characters or bytes. */
  chargeText(length: number): void {
    this.charge(1 + Math.ceil(length * STRING_FACTOR));
  }

  /** Adds a cost that was charged elsewhere. */
  spend(units: number): void {
    this.#left -= units;
  }
}

/** The error that an evaluation exceeds its budget. */
export class OverBudgetError extends Error {}

/** The inputs of one evaluation of an expression. */
export interface Evaluation {
  readonly self: CelValue;
  readonly oldSelf: CelValue | undefined;
  /** The values of other variables, by name. */
  readonly inputs?: (name: string) => CelValue;
  /** The variables of macros, by their number. */
  readonly locals: CelValue[];
  readonly budget: Budget;
}

/** A checked expression, ready to run. */
export interface Expression extends Operand {
  /** The estimated cost limit of a run, from the schema. */
  readonly cost: number;
  readonly run: (evaluation: Evaluation) => CelValue;
  /** The items of a literal list. */
  readonly parts?: readonly Expression[];
}

/** A node from the parser. Its arguments depend on `op`. */
export type Node = ASTNode & {
  readonly op: string;
  readonly args: unknown;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
};

/** The differences between releases in reading and estimating expressions, apart from functions. */
export interface LanguageForms {
  /** Whether values may be optional: `a.?b`, `a[?b]`, `[?a]` and `{?a: b}` are allowed. */
  readonly hasOptionals: boolean;
  /** Whether estimates follow sizes through lists, maps and macros of expressions. */
  readonly followsSizes: boolean;
  /** The messages that expressions can make. */
  readonly messages: MessageTypes;
}

/** The functions of the compiler for single nodes and macros. */
export interface ExpressionCompiler {
  readonly environment: LanguageForms;
  /** Whether literal lists and maps may have values of several types here. */
  readonly mixesItems: boolean;
  /** Positions of the question marks before optional items and keys. */
  readonly optionalMarks: readonly number[];
  /** The type of `self`. */
  readonly root: Sized;
  compile(node: Node, scope: Scope): Expression;
  error(node: Node, problem: string): Error;
  /** Records why the expression can never succeed although its types are right. */
  giveUp(problem: string): void;
  /**
   * The error that a function or operator does not accept such values. `isMethod` means that the first of them is the
   * receiver.
   */
  noOverload(node: Node, name: string, args: readonly Expression[], isMethod?: boolean): Error;
}

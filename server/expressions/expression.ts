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

  /**
   * @throws OverBudgetError when nothing is left
   */
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

/** An evaluation costs more than it may. */
export class OverBudgetError extends Error {}

/** The inputs of one evaluation of an expression. */
export interface Evaluation {
  readonly self: CelValue;
  readonly oldSelf: CelValue | undefined;
  /** The values of other variables, by name. */
  readonly inputs?: (name: string) => CelValue;
  /** The variables of macros, by their place. */
  readonly locals: CelValue[];
  readonly budget: Budget;
}

/** A checked expression, ready to run. */
export interface Expression extends Operand {
  /** The cost limit of a run, estimated from the schema. */
  readonly cost: number;
  readonly run: (evaluation: Evaluation) => CelValue;
  /** The items of a list that is spelt out. */
  readonly parts?: readonly Expression[];
}

/** A node as the parser makes it; its arguments depend on `op`. */
export type Node = ASTNode & {
  readonly op: string;
  readonly args: unknown;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
};

/** How a release reads and estimates expressions, with any functions. */
export interface LanguageForms {
  /** Values may be optional: `a.?b`, `a[?b]`, `[?a]` and `{?a: b}` are read. */
  readonly hasOptionals: boolean;
  /** Estimates follow sizes through lists, maps and macros that expressions make. */
  readonly followsSizes: boolean;
  /** The messages that expressions can make. */
  readonly messages: MessageTypes;
}

/** The parts of the compiler that single nodes and macros use. */
export interface ExpressionCompiler {
  readonly environment: LanguageForms;
  /** Lists and maps that are spelt out here may hold values of several types. */
  readonly mixesItems: boolean;
  /** Positions of the question marks before optional items and keys. */
  readonly optionalMarks: readonly number[];
  /** The type of `self`. */
  readonly root: Sized;
  compile(node: Node, scope: Scope): Expression;
  error(node: Node, problem: string): Error;
  /** Says why the expression can never be run although its types are right. */
  giveUp(problem: string): void;
  /**
   * The error that a function or operator does not accept such values. `isMethod`: the first of them is the receiver.
   */
  noOverload(node: Node, name: string, args: readonly Expression[], isMethod?: boolean): Error;
}

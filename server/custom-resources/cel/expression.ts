import type { ASTNode } from '@marcbachmann/cel-js';

import type { CelValue } from './cel-value.ts';
import type { Scope } from './scope.ts';
import { type Operand, type Sized, STRING_FACTOR } from './sizes.ts';

/** What an expression that is run may cost, and what it has cost so far. */
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

  /** Charges a walk over so many characters or bytes. */
  chargeText(length: number): void {
    this.charge(1 + Math.ceil(length * STRING_FACTOR));
  }

  /** Counts what was charged elsewhere. */
  spend(units: number): void {
    this.#left -= units;
  }
}

/** An evaluation costs more than it may. */
export class OverBudgetError extends Error {}

/** What one evaluation of an expression works with. */
export interface Evaluation {
  readonly self: CelValue;
  readonly oldSelf: CelValue | undefined;
  /** The variables of macros, by their place. */
  readonly locals: CelValue[];
  readonly budget: Budget;
}

/** A checked expression, ready to run. */
export interface Expression extends Operand {
  /** The most that a run may cost, estimated from the schema. */
  readonly cost: number;
  readonly run: (evaluation: Evaluation) => CelValue;
}

/** A node as the parser makes it; its arguments depend on `op`. */
export type Node = ASTNode & { readonly op: string; readonly args: unknown; readonly pos: number };

/** What macros need of the compiler. */
export interface ExpressionCompiler {
  /** The type of `self`. */
  readonly root: Sized;
  compile(node: Node, scope: Scope): Expression;
  error(node: Node, problem: string): Error;
}

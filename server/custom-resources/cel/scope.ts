import type { CelType } from './cel-type.ts';

/** A variable of an expression. */
export interface Variable {
  readonly type: CelType;
  readonly size: number;
  /** `self`, `oldSelf`, or the place of a macro's variable. */
  readonly place: 'self' | 'oldSelf' | number;
}

/** The variables at a place in an expression. */
export class Scope {
  readonly #variables: ReadonlyMap<string, Variable>;
  /** How many variables of macros are in use: the place of the next one. */
  readonly depth: number;

  constructor(variables: ReadonlyMap<string, Variable>, depth = 0) {
    this.#variables = variables;
    this.depth = depth;
  }

  get(name: string): Variable | undefined {
    return this.#variables.get(name);
  }

  with(name: string, type: CelType, size: number): Scope {
    const variable: Variable = { type, size, place: this.depth };
    return new Scope(new Map([...this.#variables, [name, variable]]), this.depth + 1);
  }
}

import type { CelType } from './cel-type.ts';
import type { Place } from './sizes.ts';

/** A variable of an expression. */
export interface Variable {
  readonly type: CelType;
  /** The place of its value in the schema. */
  readonly place: Place;
  /**
   * The kind of the variable: `self`, `oldSelf`, an input that the caller gives by name, or the number of a macro's
   * variable.
   */
  readonly slot: 'self' | 'oldSelf' | 'input' | number;
}

/** The variables that are visible at a place in an expression. */
export class Scope {
  readonly #variables: ReadonlyMap<string, Variable>;
  /** How many variables of macros are in use. It is also the number of the next one. */
  readonly depth: number;

  constructor(variables: ReadonlyMap<string, Variable>, depth = 0) {
    this.#variables = variables;
    this.depth = depth;
  }

  get(name: string): Variable | undefined {
    return this.#variables.get(name);
  }

  with(name: string, type: CelType, place: Place): Scope {
    const variable: Variable = { type, place, slot: this.depth };
    return new Scope(new Map([...this.#variables, [name, variable]]), this.depth + 1);
  }
}

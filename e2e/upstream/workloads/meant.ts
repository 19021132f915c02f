/** A difference that is meant, and why. */
export interface Meant {
  /** What it is of: `scenario: step: object: what`. */
  readonly of: RegExp;
  readonly why: string;
}

export const meant: readonly Meant[] = [];

import { BOOL, type CelType, DYN, fits, listOf, STRING } from './cel-type.ts';
import type { CelValue } from './cel-value.ts';
import type { Budget, Expression } from './expression.ts';
import { capped, estimatedSize, type Operand, type Size, type Sized, STRING_FACTOR, walkOf } from './sizes.ts';

/** The costs of an overload. */
export interface Costs {
  /**
   * The estimated cost of a call for operands of given sizes; 1 by default. It decides which definitions are accepted.
   * So it matches the estimate that clients know, whatever the real cost here is.
   */
  readonly estimate?: (...operands: Operand[]) => number;
  /** Returns the cost that is charged before the call with these values; 1 by default. */
  // biome-ignore lint/suspicious/noExplicitAny: the checker has checked the types of the arguments
  readonly charge?: (budget: Budget, ...values: any[]) => void;
  /** Returns the estimated size of the result; by default it is unknown. */
  readonly answer?: (...operands: Operand[]) => Sized;
  /** Like `answer`, for calls whose result has unknown items. */
  readonly size?: (...operands: Operand[]) => Size;
  /** Whether the result has the same items as the first argument. */
  readonly keepsItems?: boolean;
  /** The error about literal arguments; undefined if there is none. */
  readonly problem?: (args: readonly Expression[]) => string | undefined;
}

type Marks = Pick<Overload, 'takesPattern' | 'mixesItems'>;

/** One way to call a function. The receiver of a method is its first argument. */
export interface Overload extends Costs {
  readonly name: string;
  readonly isMethod: boolean;
  /** Whether the second argument is a pattern. A literal pattern is compiled in advance. */
  readonly takesPattern?: boolean;
  /** Whether literal lists and maps in the arguments may have values of several types. */
  readonly mixesItems?: boolean;
  /** The type of the result for arguments of these types; undefined if these are not allowed. */
  check(types: readonly CelType[]): CelType | undefined;
  run(...values: CelValue[]): CelValue;
}

/** Declares a function with its types: `define('size', [STRING], INT, run)`. */
export function define(
  name: string,
  parameters: readonly CelType[],
  answer: CelType,
  // biome-ignore lint/suspicious/noExplicitAny: the checker has checked the types of the arguments
  run: (...values: any[]) => CelValue,
  more: Costs & Marks & { readonly method?: boolean } = {},
): Overload {
  const { method = false, ...costs } = more;
  return {
    name,
    isMethod: method,
    check: (types) =>
      types.length === parameters.length && types.every((type, i) => fits(type, parameters[i]!)) ? answer : undefined,
    run,
    ...costs,
  };
}

/** Declares a method: `self.startsWith("a")`. */
export function method(
  name: string,
  parameters: readonly CelType[],
  answer: CelType,
  // biome-ignore lint/suspicious/noExplicitAny: the checker has checked the types of the arguments
  run: (...values: any[]) => CelValue,
  more: Costs & Marks = {},
): Overload {
  return define(name, parameters, answer, run, { ...more, method: true });
}

/** A text that is not longer than the first argument. */
export function noLonger(text?: Operand): Sized {
  return { type: STRING, size: estimatedSize(text!).most };
}

/** The size of a list of parts of the first argument. It has at most one part more than the argument has characters. */
export function partsOf(text?: Operand): Sized {
  const { size } = noLonger(text);
  return { type: listOf(STRING, size), size: capped(size + 1) };
}

/** A result that is as long as the first argument. */
export function sameSize(text?: Operand): Size {
  return estimatedSize(text!);
}

/** The number of parts of the first argument, by later estimates. It has at most as many as characters. */
export function countOfParts(text?: Operand, _separator?: Operand, most?: Operand): Size {
  const limit = most?.constant?.value;
  return { least: 0, most: typeof limit === 'bigint' && limit >= 0n ? Number(limit) : estimatedSize(text!).most };
}

/**
 * The costs of a walk over the characters of the first argument. `times` says how often the estimate counts the walk.
 */
export function textWalk(times = 1): Required<Pick<Costs, 'estimate' | 'charge'>> {
  return {
    estimate: (text) => walkOf(estimatedSize(text!), times * STRING_FACTOR),
    charge: (budget, text: string) => budget.chargeText(text.length),
  };
}

/** A test of two texts. */
export function textTest(name: string, run: (a: string, b: string) => boolean): Overload {
  return method(name, [STRING, STRING], BOOL, run, {
    estimate: (_text, part) => walkOf(estimatedSize(part!)),
    charge: (budget, _text: string, part: string) => budget.chargeText(part.length),
  });
}

/** The item type of a list. `dyn` may be a list of any type. */
export function itemType(type: CelType | undefined): CelType | undefined {
  if (type?.kind === 'list') return type.item;
  return type?.kind === 'dyn' ? DYN : undefined;
}

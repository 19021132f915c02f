import { BOOL, type CelType, DYN, fits, STRING } from './cel-type.ts';
import type { CelValue } from './cel-value.ts';

/** Work and sizes as functions of the sizes of the arguments, so that the same one estimates and charges. */
export type BySizes = (...sizes: number[]) => number;

/** One way to call a function. The receiver of a method is its first argument. */
export interface Overload {
  readonly name: string;
  readonly isMethod: boolean;
  /** The type of the answer for arguments of these types; undefined when they do not fit. */
  check(types: readonly CelType[]): CelType | undefined;
  run(...values: CelValue[]): CelValue;
  /** What a call costs; 1 when left out. */
  readonly cost?: BySizes;
  /** The most elements or characters of the answer; 1 when left out. */
  readonly size?: BySizes;
}

/** How a function is called, with its types: `define('size', [STRING], INT, run)`. */
export function define(
  name: string,
  parameters: readonly CelType[],
  answer: CelType,
  // biome-ignore lint/suspicious/noExplicitAny: the checker has seen to the types of the arguments
  run: (...values: any[]) => CelValue,
  more: { readonly method?: boolean; readonly cost?: BySizes; readonly size?: BySizes } = {},
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

/** A method: `self.startsWith("a")`. */
export function method(
  name: string,
  parameters: readonly CelType[],
  answer: CelType,
  // biome-ignore lint/suspicious/noExplicitAny: the checker has seen to the types of the arguments
  run: (...values: any[]) => CelValue,
  more: { readonly cost?: BySizes; readonly size?: BySizes } = {},
): Overload {
  return define(name, parameters, answer, run, { ...more, method: true });
}

/** A walk over texts costs a tenth of their characters. */
export const STRING_FACTOR = 0.1;
/** A match costs a quarter of the pattern for each part of the text. */
const PATTERN_FACTOR = 0.25;

/** The cost of walking the first argument's characters. */
export const walkText: BySizes = (size = 0) => 1 + Math.ceil(size * STRING_FACTOR);
/** The cost of walking the first argument's elements. */
export const walkList: BySizes = (size = 0) => 1 + size;
/** The cost of looking for a pattern. */
export const matchText: BySizes = (size = 0, pattern = 0) =>
  1 + Math.ceil((size + 1) * STRING_FACTOR) * Math.ceil(pattern * PATTERN_FACTOR);

export const same: BySizes = (size = 1) => size;

/** A test of two texts. */
export function textTest(name: string, run: (a: string, b: string) => boolean): Overload {
  return method(name, [STRING, STRING], BOOL, run, { cost: (_a, b = 0) => 1 + Math.ceil(b * STRING_FACTOR) });
}

/** The item type of a list; `dyn` may be a list of anything. */
export function itemType(type: CelType | undefined): CelType | undefined {
  if (type?.kind === 'list') return type.item;
  return type?.kind === 'dyn' ? DYN : undefined;
}

import { ValueError } from './value-error.ts';

/** A count, or a text such as `25%` or a port's name. */
export type IntOrString = number | string;

/**
 * The value of a text that a person wrote. It is a count if the text is a number of 32 bits, and otherwise the text
 * itself.
 *
 * @example countOrText('http') // => 'http'
 */
export function countOrText(text: string): IntOrString {
  const count = /^[+-]?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return (count | 0) === count ? count : text;
}

/**
 * A count, or a percentage of `total`, as a number; fractions are rounded up or down.
 *
 * @throws ValueError if the text is not a percentage
 *
 * @example countOf('25%', 10, 'up') // => 3
 */
export function countOf(value: IntOrString, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = percentOf(value);
  if (percent === undefined)
    throw new ValueError(`invalid value for IntOrString: invalid type: string is not a percentage`);
  return round === 'up' ? Math.ceil((percent * total) / 100) : Math.floor((percent * total) / 100);
}

/**
 * The number before the sign of `25%`; undefined for any other text.
 *
 * @example percentOf('25%') // => 25
 */
export function percentOf(text: string): number | undefined {
  return /^[-+]?[0-9]{1,9}%$/.test(text) ? Number(text.slice(0, -1)) : undefined;
}

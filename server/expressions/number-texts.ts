import { numberText } from '#base/text/number-text.ts';

/** Digits may be grouped by single underscores. */
const DIGITS = '[0-9](?:_?[0-9])*';
const DECIMAL = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`);
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F_]*)(?:\.([0-9a-fA-F_]*))?[pP]([+-]?[0-9]{1,5})$/;
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
]);
const LONGEST = 1000;

/** The number in a text; undefined if the text is not a number or the number is too large. */
export function doubleOf(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const special = SPECIAL.get(text.replace(/^[+-]/, '').toLowerCase());
  if (special !== undefined) return text.startsWith('-') ? -special : special;
  const [, sign, whole = '', fraction = '', exponent] = HEXADECIMAL.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replaceAll('_', '');
  const number = DECIMAL.test(text)
    ? Number(text.replaceAll('_', ''))
    : exponent === undefined || digits === ''
      ? Number.NaN
      : Number(`0x${digits}`) * 2 ** (Number(exponent) - 4 * fraction.length) * (sign === '-' ? -1 : 1);
  return Number.isFinite(number) ? number : undefined;
}

/** A double as text: `1.5`, `1e+06`, `+Inf`. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  return numberText(value);
}

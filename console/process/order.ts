/** The number of digits to which numbers are padded, so that texts compare by the numbers' values. */
const DIGITS = 16;

/**
 * A text by which texts are compared, numbers in them by their value.
 *
 * @example orderOf('web-2') < orderOf('web-10') // => true
 */
export function orderOf(text: string): string {
  return text.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'));
}

import { JsonNumber } from '#base/json/json-value.ts';

/**
 * A number of JSON as it is compared and calculated with: a bigint where it is a whole one of 64 bits that a double
 * would round, else a number. Undefined for what is no number. `<`, `==` and `>` are exact between both.
 */
export function exactNumber(value: unknown): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof JsonNumber ? numberOf(value.text) : undefined;
}

/** The same of a text of digits, with a sign or not. */
export function numberOf(text: string): number | bigint {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !/^[+-]?\d+$/.test(text)) return number;
  const whole = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, whole) === whole ? whole : number;
}

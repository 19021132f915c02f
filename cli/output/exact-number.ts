import { JsonNumber } from '#base/json/json-value.ts';

/**
 * A JSON number for exact comparison and arithmetic. It is a bigint if a double would round the 64-bit integer, and
 * otherwise a number. Undefined for any other value. `<`, `==` and `>` are exact between the two types.
 */
export function exactNumber(value: unknown): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof JsonNumber ? numberOf(value.text) : undefined;
}

/** The exact number of a text of digits, with or without a sign. */
export function numberOf(text: string): number | bigint {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !/^[+-]?\d+$/.test(text)) return number;
  const whole = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, whole) === whole ? whole : number;
}

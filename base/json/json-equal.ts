import { isObject, JsonNumber } from './json-value.ts';

/** Whether two numbers are treated as equal. */
type SameNumber = (a: unknown, b: unknown) => boolean;

/**
 * Compares two JSON values. The order of an object's members does not count. An undefined member equals a missing one.
 * Numbers are compared by value as long as a double holds them exactly, and by their text beyond that (`sameNumber`
 * changes this rule). The function never overflows the stack, however deep the values are.
 *
 * @example jsonEqual({ a: [1, 2] }, { a: [1, 2] }) // => true
 */
export function jsonEqual(a: unknown, b: unknown, sameNumber: SameNumber = sameValue): boolean {
  const pending: unknown[] = [a, b];
  while (pending.length > 0) {
    const right = pending.pop();
    const left = pending.pop();
    if (left === right) continue;
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false;
      for (let i = 0; i < left.length; i++) pending.push(left[i], right[i]);
    } else if (isObject(left)) {
      if (!isObject(right) || !pushMembers(left, right, pending)) return false;
    } else if (!sameNumber(left, right)) {
      return false;
    }
  }
  return true;
}

function pushMembers(left: Record<string, unknown>, right: Record<string, unknown>, pending: unknown[]): boolean {
  for (const name of Object.keys(left)) {
    pending.push(left[name], Object.hasOwn(right, name) ? right[name] : undefined);
  }
  for (const name of Object.keys(right)) {
    if (!Object.hasOwn(left, name) && right[name] !== undefined) return false;
  }
  return true;
}

function sameValue(a: unknown, b: unknown): boolean {
  if (!isNumber(a) || !isNumber(b)) return false;
  const left = Number(a);
  const exact = Math.abs(left) <= Number.MAX_SAFE_INTEGER;
  return exact ? left === Number(b) : String(a) === String(b);
}

/**
 * Whether two numbers have the same spelling. `1.0` and `1` have different spellings.
 *
 * @example sameSpelling(1, 1) // => true
 */
export function sameSpelling(a: unknown, b: unknown): boolean {
  return isNumber(a) && isNumber(b) && String(a) === String(b);
}

function isNumber(value: unknown): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber;
}

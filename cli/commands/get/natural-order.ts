/**
 * Compares texts with numbers by the values of the numbers, so `p2` comes before `p10`. Digits come before all other
 * characters. If numbers are equal, the one with fewer leading zeros comes first.
 */
export function naturalOrder(a: string, b: string): number {
  const [partsA, partsB] = [partsOf(a), partsOf(b)];
  for (const [at, x] of partsA.entries()) {
    const y = partsB[at];
    if (y === undefined) return 1;
    if (x !== y) return isNumber(x) && isNumber(y) ? compareNumbers(x, y) : compareParts(x, y);
  }
  return partsA.length - partsB.length;
}

/** Splits a text into numbers, and single characters between them. */
const partsOf = (text: string) => text.match(/[0-9]+|[^0-9]/gu) ?? [];

const isNumber = (part: string) => /^[0-9]/.test(part);

function compareParts(x: string, y: string): number {
  if (isNumber(x) !== isNumber(y)) return isNumber(x) ? -1 : 1;
  return x < y ? -1 : 1;
}

function compareNumbers(x: string, y: string): number {
  const [a, b] = [x.replace(/^0+/, ''), y.replace(/^0+/, '')];
  if (a.length !== b.length) return a.length - b.length;
  if (a !== b) return a < b ? -1 : 1;
  return x.length - y.length;
}

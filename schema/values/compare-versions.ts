import { table } from '#base/collections/own-properties.ts';

const VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;

/** The order of stages: stable versions, then beta, then alpha, then names of any other form. */
const STAGES: Readonly<Record<string, number>> = table({ '': 0, beta: 1, alpha: 2 });

/**
 * Orders the versions of a group by the preference of clients: `v10`, `v2`, `v1`, `v3beta1`, `v12alpha2`. Names of any
 * other form are last, in alphabetical order.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) {
    if (left !== right) return left === null ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return (
    STAGES[left[2] ?? '']! - STAGES[right[2] ?? '']! ||
    compareDigits(right[1]!, left[1]!) ||
    compareDigits(right[3] ?? '0', left[3] ?? '0')
  );
}

/** Compares texts of digits without leading zeros, of any length. */
function compareDigits(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

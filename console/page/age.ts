const STEPS: readonly [unit: string, seconds: number, below: number][] = [
  ['s', 1, 120],
  ['m', 60, 10_800],
  ['h', 3_600, 172_800],
  ['d', 86_400, Number.POSITIVE_INFINITY],
];

/**
 * The age of something, in one unit.
 *
 * @example ageText(0, 90_000) // => '90s'
 */
export function ageText(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  const [unit, length] = STEPS.find(([, , below]) => seconds < below)!;
  return `${Math.floor(seconds / length)}${unit}`;
}

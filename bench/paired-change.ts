/** How much dearer one of two is, as shares of the other: 0.05 is 5 %. */
export interface Change {
  readonly mean: number;
  /** The bounds that it lies within with 95 % probability. */
  readonly low: number;
  readonly high: number;
}

/** The share of turns that is left out at either end: what something else disturbed says nothing. */
const TRIMMED = 0.1;

/**
 * How much dearer `after` is than `before`, from measurements made in pairs. The result is the trimmed mean of their
 * ratios, with bounds that follow from their spread (Yuen's method). With fewer than five pairs the bounds are
 * infinite.
 */
export function pairedChange(before: readonly number[], after: readonly number[]): Change {
  const ratios = before.map((value, i) => Math.log(after[i]! / value)).sort((a, b) => a - b);
  const cut = Math.floor(ratios.length * TRIMMED);
  const kept = ratios.slice(cut, ratios.length - cut);
  const mean = kept.reduce((sum, ratio) => sum + ratio, 0) / kept.length;
  const share = (log: number): number => Math.exp(log) - 1;
  if (ratios.length < 5) return { mean: share(mean), low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const winsorized = ratios.map((ratio) => Math.min(kept.at(-1)!, Math.max(kept[0]!, ratio)));
  const center = winsorized.reduce((sum, ratio) => sum + ratio, 0) / winsorized.length;
  const squares = winsorized.reduce((sum, ratio) => sum + (ratio - center) ** 2, 0);
  const error = Math.sqrt(squares / (kept.length * (kept.length - 1)));
  // close to Student's distribution for four degrees of freedom and more
  const freedom = kept.length - 1;
  const bound = (1.96 + 2.4 / freedom + 3 / freedom ** 2) * error;
  return { mean: share(mean), low: share(mean - bound), high: share(mean + bound) };
}

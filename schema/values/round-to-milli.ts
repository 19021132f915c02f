import { parseQuantity } from './quantity.ts';

/** Matches whole and simple amounts, which certainly need no rounding to thousandths. */
const COARSE = /^\d+(?:m|[kMGTPE]i?|Ki)?$/;

/** Rounds amounts up to thousandths, because no smaller units are kept. It changes its argument. */
export function roundToMilli(amounts: Record<string, string> | null | undefined): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    if (!COARSE.test(amount)) amounts![name] = parseQuantity(amount).roundUpToMilli().toString();
  }
}

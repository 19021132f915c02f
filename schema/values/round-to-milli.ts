import { parseQuantity } from './quantity.ts';

/** Whole and simple amounts, which are certainly not finer than thousandths. */
const COARSE = /^\d+(?:m|[kMGTPE]i?|Ki)?$/;

/** Rounds amounts up to thousandths in place: no finer ones are kept. */
export function roundToMilli(amounts: Record<string, string> | null | undefined): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    if (!COARSE.test(amount)) amounts![name] = parseQuantity(amount).roundUpToMilli().toString();
  }
}

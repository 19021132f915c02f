import { durationNanoseconds } from '#schema/values/duration.ts';
import { ValueError } from '#schema/values/value-error.ts';

/** Units by their spellings. Any text that starts with the last spelling of a row is the unit too. */
const UNITS: readonly (readonly [nanoseconds: bigint, ...spellings: string[]])[] = [
  [1n, 'ns', 'nano'],
  [1_000n, 'us', '\u00b5s', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [1_000_000_000n, 's', 'sec'],
  [60_000_000_000n, 'm', 'min'],
  [3_600_000_000_000n, 'h', 'hr', 'hour'],
  [86_400_000_000_000n, 'd', 'day'],
  [604_800_000_000_000n, 'w', 'wk', 'week'],
];

/**
 * Matches the start of a number. It comes after a character that is not a digit, so that the search reads each digit
 * once.
 */
const PART = /(?<![0-9])([0-9]+)\s*([A-Za-z\u00b5]+)/g;
const MAX_LENGTH = 4096;
const MAX_COUNT = 2n ** 63n - 1n;
const MAX_DIGITS = 19;

/** Nanoseconds of a text in the format `duration`: `1h30m`, or words such as `3 days`. Undefined for other texts. */
export function wordedNanoseconds(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return durationNanoseconds(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
  }
  let total: bigint | undefined;
  for (const [, count = '', unit = ''] of text.matchAll(PART)) {
    if (count.replace(/^0+/, '').length > MAX_DIGITS || BigInt(count) > MAX_COUNT) return undefined;
    const size = unitOf(unit.toLowerCase());
    if (size !== undefined) total = BigInt.asIntN(64, (total ?? 0n) + BigInt(count) * size);
  }
  return total;
}

function unitOf(unit: string): bigint | undefined {
  return UNITS.find(([, ...spellings]) => spellings.includes(unit) || unit.startsWith(spellings.at(-1)!))?.[0];
}

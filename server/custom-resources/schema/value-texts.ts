import type { Release } from '#base/release/release.ts';

/** Texts of errors that differ between releases. */
export interface ValueTexts {
  tooLong(max: number): string;
  tooMany(actual: number, max: number): string;
}

function count(number: number, unit: string, isCounted: boolean): string {
  return `${number} ${unit}${isCounted && number === 1 ? '' : 's'}`;
}

/** The texts of a release. */
export function valueTexts(release: Release): ValueTexts {
  const isCounted = release.atLeast(34);
  return {
    tooLong: (max) =>
      release.atLeast(32)
        ? `Too long: may not be more than ${count(max, 'byte', isCounted)}`
        : `Too long: may not be longer than ${max}`,
    tooMany: (actual, max) => `Too many: ${actual}: must have at most ${count(max, 'item', isCounted)}`,
  };
}

import type { JsonNumber } from '#base/json/json-value.ts';

/** The largest and the smallest number of each format. */
const RANGES: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  // Recordings show that 2147483648 is accepted and 1000000000000 is not.
  ['integer int32', [-(2 ** 31), 2 ** 31]],
  ['integer uint32', [0, 2 ** 32 - 1]],
  ['integer uint64', [0, 2 ** 64]],
  ['number float', [-(2 ** 128), 2 ** 128]],
]);

/** The format as the schema spells it, if it limits numbers of the type; otherwise empty. */
export function checkedRange(type: string, format: string): string {
  return RANGES.has(`${type} ${format}`) ? format : '';
}

/** Whether a number is in the range of a format. True for a format without a range. */
export function isInRange(value: number | JsonNumber, type: string, format: string): boolean {
  const range = RANGES.get(`${type} ${format}`);
  return range === undefined || (Number(value) >= range[0] && Number(value) <= range[1]);
}

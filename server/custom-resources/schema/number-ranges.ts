import type { JsonNumber } from '#base/json/json-value.ts';

/** The most that numbers of a format may be, and the least that they may. */
const RANGES: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  // Recorded: 2147483648 is taken, 1000000000000 is not.
  ['integer int32', [-(2 ** 31), 2 ** 31]],
  ['integer uint32', [0, 2 ** 32 - 1]],
  ['integer uint64', [0, 2 ** 64]],
  ['number float', [-(2 ** 128), 2 ** 128]],
]);

/** A format in the schema's spelling if it bounds numbers of a type; otherwise empty. */
export function checkedRange(type: string, format: string): string {
  return RANGES.has(`${type} ${format}`) ? format : '';
}

/** Whether a number is in the range of a format; true for formats that bound nothing. */
export function isInRange(value: number | JsonNumber, type: string, format: string): boolean {
  const range = RANGES.get(`${type} ${format}`);
  return range === undefined || (Number(value) >= range[0] && Number(value) <= range[1]);
}

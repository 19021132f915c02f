import { parseDuration } from '#schema/values/duration.ts';

/**
 * A time as milliseconds.
 *
 * @param time milliseconds, or a text such as `1h30m`
 * @throws RangeError if the text is not a time, or if it is negative
 */
export function milliseconds(time: string | number): number {
  const value = typeof time === 'number' ? time : parseDuration(time);
  if (!(value >= 0 && Number.isFinite(value))) throw new RangeError(`${JSON.stringify(time)} is no time`);
  return value;
}

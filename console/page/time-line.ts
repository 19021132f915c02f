import type { ConditionOfObject, EventOfObject } from '../protocol/object-messages.ts';

/** An event or a condition of an object. Times are milliseconds since 1970. */
export interface Happening {
  readonly from: number;
  readonly to: number;
  readonly what: string;
  readonly isBad: boolean;
  readonly kind: 'event' | 'condition';
}

/** A happening on a line that is as wide as all of the time. */
export interface Placed extends Happening {
  /** The position on the line, from 0 to 1. */
  readonly start: number;
  readonly end: number;
  /** The row of the mark, from the top: overlapping marks are in different rows. */
  readonly row: number;
}

/** The least width of a mark, as a part of the whole. */
const LEAST = 0.012;
const MOST_ROWS = 12;

/** Events and conditions of an object in the order of time. Those without a time are left out. */
export function happeningsOf(
  events: readonly EventOfObject[],
  conditions: readonly ConditionOfObject[],
  now: number,
): readonly Happening[] {
  const found: Happening[] = [
    ...events.map(({ type, reason, message, count, first, last }): Happening => {
      const to = Date.parse(last || first);
      const from = Date.parse(first || last);
      const times = count > 1 ? ` (${count} times)` : '';
      return { from, to, what: `${reason}: ${message}${times}`, isBad: type === 'Warning', kind: 'event' };
    }),
    ...conditions.map(({ type, status, reason, message, since }): Happening => {
      const why = [reason, message].filter(Boolean).join(': ');
      const what = `${type} is ${status}${why === '' ? '' : ` (${why})`}`;
      // The meaning of a condition for an object is not known, so no condition is shown as bad.
      return { from: Date.parse(since), to: now, what, isBad: false, kind: 'condition' };
    }),
  ];
  return found.filter(({ from, to }) => !Number.isNaN(from) && !Number.isNaN(to)).sort((a, b) => a.from - b.from);
}

/** The place of each happening on a line from the first happening until now. */
export function placed(happenings: readonly Happening[], now: number): readonly Placed[] {
  const begin = Math.min(now, ...happenings.map(({ from }) => from));
  const length = Math.max(1, now - begin);
  const ends: number[] = [];
  return happenings.map((happening) => {
    const start = Math.min(1 - LEAST, Math.max(0, (happening.from - begin) / length));
    const end = Math.min(1, Math.max(start + LEAST, (happening.to - begin) / length));
    let row = ends.findIndex((taken) => taken <= start);
    if (row < 0) row = Math.min(ends.length, MOST_ROWS - 1);
    ends[row] = end;
    return { ...happening, start, end, row };
  });
}

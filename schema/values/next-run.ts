import { BoundedCache } from '#base/collections/bounded-cache.ts';
import type { CronField, CronSchedule } from './cron-schedule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The longest interval to look ahead for a change of clocks. Clocks change by at most a day. */
const AHEAD = 36 * HOUR;
/** The number of years in which to search for a time. For example, February 30 never occurs. */
const MOST_YEARS = 5;

/**
 * The first time after a moment at which a schedule is due; undefined if there is none within five years. Local times
 * that a change to summer time skips do not occur on that day, and repeated local times occur twice.
 *
 * @param after milliseconds since 1970
 * @param zone the zone of the schedule, unless the schedule names one; the zone of this process by default
 * @example nextRun(parseSchedule('0 3 * * *'), Date.parse('2026-01-01T00:00:00Z'), 'UTC') // 2026-01-01T03:00:00Z
 */
export function nextRun(schedule: CronSchedule, after: number, zone?: string): number | undefined {
  const { everyMs, fields } = schedule;
  if (everyMs !== undefined) return Math.floor(after / SECOND) * SECOND + everyMs;
  if (fields === undefined) return undefined;
  const offset = offsetsOf(schedule.zone ?? zone);
  const last = new Date(after + offset(after)).getUTCFullYear() + MOST_YEARS;
  let from = Math.floor(after / MINUTE) * MINUTE + MINUTE;
  for (;;) {
    const before = offset(from);
    const wall = firstMatch(fields, from + before, last);
    if (wall === undefined) return undefined;
    const found = wall - before;
    const change = nextChange(offset, from, from + AHEAD);
    if (found < (change ?? from + AHEAD)) return found;
    from = change ?? Math.max(from + AHEAD, Math.floor((found - AHEAD) / MINUTE) * MINUTE);
  }
}

/** The first matching minute of a clock that never changes, starting with a given minute. */
function firstMatch(fields: readonly CronField[], from: number, lastYear: number): number | undefined {
  const [minutes, hours, days, months, weekdays] = fields as readonly [
    CronField,
    CronField,
    CronField,
    CronField,
    CronField,
  ];
  const isDay = (date: Date) => {
    const byDay = takes(days, date.getUTCDate());
    const byWeekday = takes(weekdays, date.getUTCDay());
    return days.star || weekdays.star ? byDay && byWeekday : byDay || byWeekday;
  };
  let at = from;
  for (;;) {
    const date = new Date(at);
    if (date.getUTCFullYear() > lastYear) return undefined;
    if (!takes(months, date.getUTCMonth() + 1)) at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    else if (!isDay(date)) at = floorTo(at, DAY) + DAY;
    else if (!takes(hours, date.getUTCHours())) at = floorTo(at, HOUR) + HOUR;
    else if (!takes(minutes, date.getUTCMinutes())) at = floorTo(at, MINUTE) + MINUTE;
    else return floorTo(at, MINUTE);
  }
}

function takes({ taken }: CronField, value: number): boolean {
  return taken[value] === 1;
}

function floorTo(ms: number, unit: number): number {
  return Math.floor(ms / unit) * unit;
}

/** The first minute after `from` at which the clocks change, if that is before `end`. */
function nextChange(offset: (ms: number) => number, from: number, end: number): number | undefined {
  const before = offset(from);
  if (offset(end) === before) return undefined;
  let low = from / MINUTE;
  let high = end / MINUTE;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle * MINUTE) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE;
}

const formats = new BoundedCache<string, Intl.DateTimeFormat>(100);

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function offsetsOf(zone: string | undefined): (ms: number) => number {
  if (zone === undefined) return (ms) => -new Date(ms).getTimezoneOffset() * MINUTE;
  if (zone === 'UTC') return () => 0;
  let format = formats.get(zone);
  if (format === undefined) {
    const numeric = 'numeric';
    const parts = {
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', calendar: 'gregory', ...parts });
    formats.set(zone, format);
  }
  const own = format;
  return (ms) => {
    const [month, day, year, hour, minute, second] = own.format(ms).split(/\D+/).map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - floorTo(ms, SECOND);
  };
}

/**
 * A moment on the clock of a zone, with its difference from UTC. UTC by default.
 *
 * @example zonedTime(0, 'Europe/Rome') // '1970-01-01T01:00:00+01:00'
 */
export function zonedTime(ms: number, zone = 'UTC'): string {
  const offset = offsetsOf(zone)(ms);
  const text = new Date(ms + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const minutes = Math.abs(Math.trunc(offset / MINUTE));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${text}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

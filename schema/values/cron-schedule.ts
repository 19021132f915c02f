import { durationNanoseconds } from './duration.ts';
import { ValueError } from './value-error.ts';

/** The bounds of one field of a schedule, and the names that it accepts in place of numbers. */
interface Field {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const MONTHS = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
/** The largest length. Every sensible schedule is shorter, and each range of its lists takes time. */
const MAX_LENGTH = 10_000;
const ZONE = /^(?:TZ|CRON_TZ)=(\S*)(?:\s+|$)/;

/** The reason why a text is not a schedule; clients see the message. */
export class ScheduleError extends Error {}

/** One field of a schedule. It has 1 for each value that matches, and says whether the field is a star. */
export interface CronField {
  readonly taken: Uint8Array;
  readonly star: boolean;
}

/** The times of a schedule: the minutes that match its fields, or a fixed interval in milliseconds. */
export interface CronSchedule {
  /** The time zone that the text itself names. */
  readonly zone?: string;
  readonly everyMs?: number;
  /** Minute, hour, day of month, month, day of week. */
  readonly fields?: readonly CronField[];
}

/** The error of a cron schedule that {@link parseSchedule} finds; undefined if the schedule is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

/** Whether a schedule names a time zone itself. */
export function hasTimeZone(schedule: string): boolean {
  return schedule.includes('TZ');
}

/** Names in the data behind Intl that the IANA database does not have. */
const NOT_IANA =
  /^(?:A[CGS]T|AET|ART|BE?ST|CAT|CNT|CST|CTT|EAT|ECT|I[ES]T|JST|MIT|NET|NST|P[LNRS]T|SST|VST|SystemV\/.*|US\/Pacific-New)$/;
/** Matches the form of all names: every part starts with a capital letter. */
const ZONE_NAME = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** The error in the name of a time zone; undefined if it is valid. Upper and lower case matter. */
export function timeZoneProblem(zone: string): string | undefined {
  const problem = `unknown time zone ${zone}`;
  if (!ZONE_NAME.test(zone) || NOT_IANA.test(zone)) return problem;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions();
    return timeZone !== zone && timeZone.toLowerCase() === zone.toLowerCase() ? problem : undefined;
  } catch {
    return problem;
  }
}

/**
 * Parses a cron schedule. It has five fields (minute, hour, day of month, month, day of week) with numbers, ranges,
 * lists and steps. It can also be a word such as `@daily`, or an interval such as `@every 1h30m`. A time zone may
 * precede it: `TZ=Europe/Rome 0 3 * * *`.
 * @throws ScheduleError if the text is not a schedule
 */
export function parseSchedule(schedule: string): CronSchedule {
  if (schedule === '') throw new ScheduleError('empty spec string');
  if (schedule.length > MAX_LENGTH) throw new ScheduleError(`spec string longer than ${MAX_LENGTH} characters`);
  const named = ZONE.exec(schedule);
  if (named?.[1]) {
    const problem = timeZoneProblem(named[1]);
    if (problem !== undefined) throw new ScheduleError(`provided bad location ${named[1]}: ${problem}`);
  }
  const zone = named === null ? {} : { zone: named[1] || 'UTC' };
  const rest = named === null ? schedule : schedule.slice(named[0].length).trim();
  if (rest.startsWith('@every ')) return { ...zone, everyMs: readInterval(rest) };
  const text = rest.startsWith('@') ? DESCRIPTORS.get(rest) : rest;
  if (text === undefined) throw new ScheduleError(`unrecognized descriptor: ${rest}`);
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) {
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  return { ...zone, fields: FIELDS.map((field, i) => readField(fields[i] ?? '', field)) };
}

/** The interval in whole seconds. It is at least one second. */
function readInterval(text: string): number {
  try {
    const seconds = Number(durationNanoseconds(text.slice('@every '.length)) / 1_000_000_000n);
    return Math.max(1, seconds) * 1000;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ScheduleError(`failed to parse duration ${text}: ${error.message}`);
  }
}

function readField(list: string, field: Field): CronField {
  const taken = new Uint8Array(field.max + 1);
  let star = false;
  for (const range of list.split(',')) if (range !== '' && takeRange(range, field, taken)) star = true;
  return { taken, star };
}

/** Reads one item of a list: `*`, `5` or `1-5`. A step may follow it: `0-30/15`. Returns whether it is a star. */
function takeRange(text: string, field: Field, taken: Uint8Array): boolean {
  const [span = '', step, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreBounds] = span.split('-');
  let start = field.min;
  let end = field.max;
  if (low !== '*' && low !== '?') {
    start = numberOrName(low, field);
    end = high === undefined ? start : numberOrName(high, field);
    if (moreBounds.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  }
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const every = step === undefined ? 1 : numberOf(step);
  if (step !== undefined && high === undefined) end = field.max;

  if (start < field.min) {
    throw new ScheduleError(`beginning of range (${start}) below minimum (${field.min}): ${text}`);
  }
  if (end > field.max) throw new ScheduleError(`end of range (${end}) above maximum (${field.max}): ${text}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (every === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
  for (let value = start; value <= end; value += every) taken[value] = 1;
  return (low === '*' || low === '?') && every === 1;
}

function numberOrName(text: string, field: Field): number {
  const named = text === '' ? -1 : field.names.indexOf(text.toLowerCase());
  return named >= 0 ? named : numberOf(text);
}

function numberOf(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    const cause = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw new ScheduleError(`failed to parse int from ${text}: ${cause}`);
  }
  const number = Number(text);
  if (number < 0) throw new ScheduleError(`negative number (${number}) not allowed: ${text}`);
  return number;
}

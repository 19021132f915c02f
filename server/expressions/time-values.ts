import { remembered } from '#base/collections/remembered.ts';
import { durationNanoseconds } from '#schema/values/duration.ts';
import { ValueError } from '#schema/values/value-error.ts';
import { Duration, EvaluationError, Timestamp } from './cel-value.ts';

const MAX_LENGTH = 200;
const LIMIT = 2n ** 63n;
/** The only duration whose negative does not fit. */
const LEAST_SPAN = '-2562047h47m16.854775808s';
/** The seconds of the years 1 to 9999. */
const MIN_SECONDS = -62135596800n;
const MAX_SECONDS = 253402300799n;
const SECOND = 1_000_000_000n;

/** The duration in a text such as `1h30m`; undefined for other texts. */
export function durationOf(text: string): Duration | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (text === LEAST_SPAN) return new Duration(-LIMIT);
  try {
    return new Duration(durationNanoseconds(text));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return undefined;
  }
}

/** Nanoseconds of a span, which fit into 64 bits. */
export function checkedSpan(nanos: bigint): bigint {
  if (nanos >= LIMIT || nanos < -LIMIT) throw new EvaluationError('integer overflow');
  return nanos;
}

const RFC_3339 =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/;

/**
 * The moment in an RFC 3339 text; undefined for other texts.
 * @throws EvaluationError outside of these years
 */
export function timestampOf(text: string): Timestamp | undefined {
  const parts = text.length > MAX_LENGTH ? null : RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as number[];
  const [fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = parts.slice(7);
  const date = new Date(0);
  date.setUTCFullYear(year!, month! - 1, day);
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day || month! < 1) return undefined;
  if (hour! > 23 || minute! > 59 || second! > 59 || Number(zoneHour) > 24 || Number(zoneMinute) > 59) return undefined;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1);
  const seconds = BigInt(date.getTime() / 1000 + hour! * 3600 + minute! * 60 + second! - offset * 60);
  return new Timestamp(checkedMoment(seconds * SECOND + BigInt(fraction.slice(0, 9).padEnd(9, '0'))), offset);
}

/** Nanoseconds of a moment between the years 1 and 9999. */
export function checkedMoment(nanos: bigint): bigint {
  if (nanos < MIN_SECONDS * SECOND || nanos >= (MAX_SECONDS + 1n) * SECOND) {
    throw new EvaluationError('timestamp overflow');
  }
  return nanos;
}

/** The number of whole units since 1970 at a moment. It is rounded down, also before 1970. */
export function wholeUnits(nanos: bigint, unit: bigint): bigint {
  return nanos / unit - (nanos % unit < 0n ? 1n : 0n);
}

/** A moment as RFC 3339, in the zone in which it was written. */
export function timestampText({ nanos, offset }: Timestamp): string {
  const seconds = wholeUnits(nanos, SECOND);
  const local = new Date(Number(seconds) * 1000 + offset * 60_000).toISOString().slice(0, 19);
  return `${local}${fractionText(nanos - seconds * SECOND)}${zoneText(offset)}`;
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const size = Math.abs(offset);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function fractionText(fraction: bigint): string {
  if (fraction === 0n) return '';
  const digits = String(fraction).padStart(9, '0');
  return `.${digits.replace(/0{1,8}$/, '')}`;
}

/** A span in seconds: `90s`, `1.5s`. */
export function durationText({ nanos }: Duration): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  return `${sign}${size / SECOND}${fractionText(size % SECOND)}s`;
}

/** The minutes of an offset such as `+02:00`. Undefined for a text without a colon, because it is a name. */
function offsetOf(zone: string): number | undefined {
  const colon = zone.indexOf(':');
  if (colon < 0) return undefined;
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)].map((text) => {
    if (!/^[+-]?[0-9]{1,9}$/.test(text)) throw new EvaluationError(`parsing ${JSON.stringify(text)}: invalid syntax`);
    return Number(text);
  }) as [number, number];
  return zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes;
}

const formats = remembered(
  (zone) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
  { most: 100, longest: 50 },
);

/** The format for a zone. The name must have the listed upper and lower case. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const unknown = () => new EvaluationError(`unknown time zone ${zone}`);
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(zone) || zone === 'Z') throw unknown();
  try {
    const format = formats(zone);
    const { timeZone } = format.resolvedOptions();
    if (timeZone !== zone && timeZone.toLowerCase() === zone.toLowerCase()) throw unknown();
    return format;
  } catch {
    throw unknown();
  }
}

/** The parts of a moment in a time zone: a name (`Europe/Berlin`), an offset (`+02:00`) or UTC. */
export function partsOf({ nanos }: Timestamp, zone: string | undefined): Date {
  const milliseconds = Number(wholeUnits(nanos, 1_000_000n));
  if (zone === undefined || zone === '' || zone === 'UTC' || zone === 'Local') return new Date(milliseconds);
  const offset = offsetOf(zone);
  if (offset !== undefined) return new Date(milliseconds + offset * 60_000);
  const parts = new Map(
    formatOf(zone)
      .formatToParts(milliseconds)
      .map(({ type, value }) => [type, value]),
  );
  const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((part) =>
    Number(parts.get(part as Intl.DateTimeFormatPartTypes) ?? 0),
  ) as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(parts.get('era') === 'BC' ? 1 - year : year, month - 1, day);
  date.setUTCHours(hour, minute, second, ((milliseconds % 1000) + 1000) % 1000);
  return date;
}

import { durationNanoseconds } from '../../schema/values/duration.ts';
import { ValueError } from '../../schema/values/value-error.ts';
import { Duration, EvaluationError, Timestamp } from './cel-value.ts';

const WORDS: readonly [RegExp, bigint][] = [
  [/^(?:ns|nano)/, 1n],
  [/^(?:us|\u00b5s|\u03bcs|micro)/, 1_000n],
  [/^(?:ms|milli)/, 1_000_000n],
  [/^(?:m$|min)/, 60_000_000_000n],
  [/^s/, 1_000_000_000n],
  [/^h/, 3_600_000_000_000n],
  [/^d/, 86_400_000_000_000n],
  [/^w/, 604_800_000_000_000n],
];
const MAX_LENGTH = 200;
const LIMIT = 2n ** 63n;
/** The years 1 to 9999. */
const MIN_SECONDS = -62135596800n;
const MAX_SECONDS = 253402300799n;
const SECOND = 1_000_000_000n;

/** A duration such as `1h30m`, or one in words (`3 days`). Throws an {@link EvaluationError}. */
export function durationOf(text: string): Duration {
  const nanos = text.length > MAX_LENGTH ? undefined : (parseSpan(text) ?? parseWords(text));
  if (nanos === undefined) throw new EvaluationError(`time: invalid duration ${JSON.stringify(text)}`);
  return new Duration(checkedSpan(nanos));
}

function parseSpan(text: string): bigint | undefined {
  try {
    return durationNanoseconds(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return undefined;
  }
}

function parseWords(text: string): bigint | undefined {
  const [, count, unit = ''] = /^([0-9]+)\s*([a-z\u00b5\u03bc]+)$/.exec(text) ?? [];
  const size = WORDS.find(([word]) => word.test(unit))?.[1];
  return count === undefined || size === undefined ? undefined : BigInt(count) * size;
}

/** Nanoseconds of a span, which fit into 64 bits. */
export function checkedSpan(nanos: bigint): bigint {
  if (nanos >= LIMIT || nanos < -LIMIT) throw new EvaluationError('duration overflow');
  return nanos;
}

const RFC_3339 =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?([Zz]|[+-][0-9]{2}:[0-9]{2})$/;

/** A moment as RFC 3339 writes it. Throws an {@link EvaluationError}. */
export function timestampOf(text: string): Timestamp {
  const invalid = () => new EvaluationError(`invalid timestamp ${JSON.stringify(text)}`);
  const [, seconds, fraction = '', zone = ''] = text.length > MAX_LENGTH ? [] : (RFC_3339.exec(text) ?? []);
  const milliseconds = Date.parse(`${seconds}${zone}`.toUpperCase());
  if (seconds === undefined || Number.isNaN(milliseconds)) throw invalid();
  const day = new Date(Date.parse(`${seconds}Z`.toUpperCase())).toISOString();
  if (day.slice(0, 10) !== seconds.slice(0, 10)) throw invalid();
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return new Timestamp(checkedMoment(BigInt(milliseconds) * 1_000_000n + nanos));
}

/** Nanoseconds of a moment between the years 1 and 9999. */
export function checkedMoment(nanos: bigint): bigint {
  if (nanos < MIN_SECONDS * SECOND || nanos >= (MAX_SECONDS + 1n) * SECOND) {
    throw new EvaluationError('timestamp overflow');
  }
  return nanos;
}

/** A moment as RFC 3339 writes it, in UTC. */
export function timestampText({ nanos }: Timestamp): string {
  const fraction = ((nanos % SECOND) + SECOND) % SECOND;
  const seconds = new Date(Number((nanos - fraction) / 1_000_000n)).toISOString().slice(0, 19);
  const digits =
    fraction === 0n
      ? ''
      : `.${String(fraction)
          .padStart(9, '0')
          .replace(/0{1,8}$/, '')}`;
  return `${seconds}${digits}Z`;
}

/** A span in seconds: `90s`, `1.5s`. */
export function durationText({ nanos }: Duration): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = size % SECOND;
  const digits =
    fraction === 0n
      ? ''
      : `.${String(fraction)
          .padStart(9, '0')
          .replace(/0{1,8}$/, '')}`;
  return `${sign}${size / SECOND}${digits}s`;
}

/** The parts of a moment in a time zone: a name (`Europe/Berlin`), an offset (`+02:00`) or UTC. */
export function partsOf({ nanos }: Timestamp, zone: string | undefined): Date {
  const milliseconds = Number(nanos / 1_000_000n);
  if (zone === undefined || zone === 'UTC' || zone === 'Z') return new Date(milliseconds);
  const [, sign, hours, minutes] = /^([+-]?)([0-9]{2}):([0-9]{2})$/.exec(zone) ?? [];
  if (hours !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return new Date(milliseconds + (sign === '-' ? -offset : offset));
  }
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]));
    const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map(
      (part) => parts.get(part as Intl.DateTimeFormatPartTypes) ?? 0,
    );
    const date = new Date(0);
    date.setUTCFullYear(year!, month! - 1, day);
    date.setUTCHours(hour!, minute, second, ((milliseconds % 1000) + 1000) % 1000);
    return date;
  } catch {
    throw new EvaluationError(`unknown time zone ${zone}`);
  }
}

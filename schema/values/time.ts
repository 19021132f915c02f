import { remembered } from '#base/collections/remembered.ts';
import { ValueError } from './value-error.ts';

const SECONDS_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const CANONICAL_LENGTH = '2006-01-02T15:04:05Z'.length;
/** The seconds of the zero time, which means that no time is set. */
const ZERO_SECONDS = -62135596800;
const MIN_SECONDS = -62167219200;
const MAX_SECONDS = 253402300799;

/** A moment: whole seconds since 1970, and the microseconds after them. */
interface Moment {
  seconds: number;
  micros: number;
}

/**
 * An RFC 3339 time in the form of objects: UTC, in seconds (fractions are cut). `null` for the zero time.
 *
 * @throws ValueError
 *
 * @example canonicalTime('2026-01-02T03:04:05+01:00') // => '2026-01-02T02:04:05Z'
 */
export function canonicalTime(text: string): string | null {
  if (isCanonical(text)) return text;
  const { seconds } = parse(text, SECONDS_LAYOUT);
  return seconds === ZERO_SECONDS ? null : secondsText(seconds);
}

/**
 * An RFC 3339 time with exactly six fraction digits, in UTC. `null` for the zero time.
 *
 * @throws ValueError
 */
export function canonicalMicroTime(text: string): string | null {
  const { seconds, micros } = parse(text, MICRO_LAYOUT);
  if (seconds === ZERO_SECONDS && micros === 0) return null;
  return `${secondsText(seconds).slice(0, -1)}.${String(micros).padStart(6, '0')}Z`;
}

/**
 * A moment in milliseconds in the form of objects: `2020-01-02T03:04:05Z`.
 *
 * @example formatTime(0) // => '1970-01-01T00:00:00Z'
 */
export function formatTime(milliseconds: number): string {
  return secondsText(Math.floor(milliseconds / 1000));
}

/**
 * A moment in milliseconds (fractions count) with six fraction digits.
 *
 * @example formatMicroTime(0) // => '1970-01-01T00:00:00.000000Z'
 */
export function formatMicroTime(milliseconds: number): string {
  const micros = Math.floor(milliseconds * 1000);
  const seconds = Math.floor(micros / 1_000_000);
  return `${secondsText(seconds).slice(0, -1)}.${String(micros - seconds * 1_000_000).padStart(6, '0')}Z`;
}

/**
 * The milliseconds since 1970 of a time or micro-time in the form of objects.
 *
 * @throws ValueError
 *
 * @example timeToMilliseconds('1970-01-01T00:00:01Z') // => 1000
 */
export function timeToMilliseconds(text: string): number {
  const { seconds, micros } = parse(text, SECONDS_LAYOUT);
  return seconds * 1000 + micros / 1000;
}

/** Matches the usual form of times in objects. This check is much cheaper than a parser. */
function isCanonical(text: string): boolean {
  return text.length === CANONICAL_LENGTH && isCanonicalSecond(text);
}

/** The results are remembered, because objects that are written again and again have the same times. */
const isCanonicalSecond = remembered(
  (text) => {
    const seconds = Date.parse(text) / 1000;
    return !Number.isNaN(seconds) && seconds !== ZERO_SECONDS && secondsText(seconds) === text;
  },
  { most: 1000, longest: CANONICAL_LENGTH },
);

/** The last requested second and its text. Most writes within one second ask for the same text. */
let lastSecond = Number.NaN;
let lastText = '';

function secondsText(seconds: number): string {
  if (seconds !== lastSecond) {
    lastText = `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
    lastSecond = seconds;
  }
  return lastText;
}

function parse(text: string, layout: string): Moment {
  const scanner = new Scanner(text, layout);
  const year = scanner.number(4, 4, '2006');
  scanner.literal('-');
  const month = scanner.number(2, 2, '01');
  scanner.inRange('month', month, 1, 12);
  scanner.literal('-');
  const day = scanner.number(2, 2, '02');
  scanner.literal('T');
  const hour = scanner.number(1, 2, '15');
  scanner.inRange('hour', hour, 0, 23);
  scanner.literal(':');
  const minute = scanner.number(2, 2, '04');
  scanner.inRange('minute', minute, 0, 59);
  scanner.literal(':');
  const second = scanner.number(2, 2, '05');
  scanner.inRange('second', second, 0, 59);
  const micros = layout === MICRO_LAYOUT ? scanner.sixDigits() : scanner.optionalFraction();
  const offset = scanner.zone();
  scanner.end();
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  scanner.inRange('day', day, 1, date.getUTCMonth() === month - 1 ? 31 : 0);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  scanner.inRange('year', seconds, MIN_SECONDS, MAX_SECONDS);
  return { seconds, micros };
}

/** Reads the parts of a time, one after another. An error names the part in the form that clients know. */
class Scanner {
  readonly #text: string;
  readonly #layout: string;
  #at = 0;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
  }

  number(min: number, max: number, part: string): number {
    let length = 0;
    while (length < max && isDigit(this.#text.charCodeAt(this.#at + length))) length++;
    if (length < min) throw this.#mismatch(part);
    const value = Number(this.#text.slice(this.#at, this.#at + length));
    this.#at += length;
    return value;
  }

  literal(part: string): void {
    if (this.#text[this.#at] !== part) throw this.#mismatch(part);
    this.#at++;
  }

  inRange(part: string, value: number, min: number, max: number): void {
    if (value < min || value > max) {
      throw new ValueError(`parsing time ${JSON.stringify(this.#text)}: ${part} out of range`);
    }
  }

  sixDigits(): number {
    const digits = /^[.,]([0-9]{6})/.exec(this.#text.slice(this.#at, this.#at + 7))?.[1];
    if (digits === undefined) throw this.#mismatch('.000000');
    this.#at += 7;
    return Number(digits);
  }

  optionalFraction(): number {
    const mark = this.#text[this.#at];
    if ((mark !== '.' && mark !== ',') || !isDigit(this.#text.charCodeAt(this.#at + 1))) return 0;
    const start = ++this.#at;
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at++;
    return Number(this.#text.slice(start, Math.min(start + 6, this.#at)).padEnd(6, '0'));
  }

  /** The offset from UTC in seconds. It is positive in the east. */
  zone(): number {
    if (this.#text[this.#at] === 'Z') {
      this.#at++;
      return 0;
    }
    const zone = /^([-+])([0-9]{2}):([0-9]{2})/.exec(this.#text.slice(this.#at, this.#at + 6));
    if (zone === null) throw this.#mismatch('Z07:00');
    const [, sign, hours, minutes] = zone;
    this.inRange('time zone offset hour', Number(hours), 0, 24);
    this.inRange('time zone offset minute', Number(minutes), 0, 60);
    this.#at += 6;
    return (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1);
  }

  end(): void {
    if (this.#at === this.#text.length) return;
    const rest = JSON.stringify(this.#text.slice(this.#at));
    throw new ValueError(`parsing time ${JSON.stringify(this.#text)}: extra text: ${rest}`);
  }

  #mismatch(part: string): ValueError {
    const rest = JSON.stringify(this.#text.slice(this.#at));
    return new ValueError(
      `parsing time ${JSON.stringify(this.#text)} as "${this.#layout}": cannot parse ${rest} as "${part}"`,
    );
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

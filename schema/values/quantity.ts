import { remembered } from '#base/collections/remembered.ts';
import type { JsonNumber } from '#base/json/json-value.ts';
import { ValueError } from './value-error.ts';

/** The preferred format of a quantity: `500m`, `1536Mi` or `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

const NANO = 1_000_000_000n;
const MILLI = 1_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;
/** The largest length. A longer text has no sensible amount, and exact arithmetic would cost too much. */
const MAX_DIGITS = 400;
const SUFFIX_LETTERS = 'eEinumkKMGTP';
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Matches texts that are certainly canonical. Most texts are. */
const PLAIN = /^[1-9][0-9]{0,2}(?:[numkMGTPE]|[KMGTP]i)?$/;

const BAD_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BAD_NUMBER = 'unable to parse numeric part of quantity';
const BAD_SUFFIX = "unable to parse quantity's suffix";

/** An exact amount with the format in which it is written. It never changes. It keeps nothing smaller than 10^-9. */
export class Quantity {
  /** The amount in billionths. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
  readonly #text: string | undefined;

  /** `text` overrides the canonical spelling. */
  constructor(nanos: bigint, format: QuantityFormat, text?: string) {
    this.nanos = nanos;
    this.format = format;
    this.#text = text;
  }

  /** A whole amount. */
  static of(amount: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(amount) * NANO, format);
  }

  /** An amount of thousandths. */
  static ofMilli(amount: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(amount) * MILLI, format);
  }

  get isZero(): boolean {
    return this.nanos === 0n;
  }

  get sign(): -1 | 0 | 1 {
    return this.nanos === 0n ? 0 : this.nanos < 0n ? -1 : 1;
  }

  compare(other: Quantity): -1 | 0 | 1 {
    return this.nanos === other.nanos ? 0 : this.nanos < other.nanos ? -1 : 1;
  }

  /** The sum, in this format unless this is zero. */
  add(other: Quantity): Quantity {
    return new Quantity(this.nanos + other.nanos, this.isZero ? other.format : this.format);
  }

  /** The difference, in this format unless this is zero. */
  subtract(other: Quantity): Quantity {
    return new Quantity(this.nanos - other.nanos, this.isZero ? other.format : this.format);
  }

  negate(): Quantity {
    return new Quantity(-this.nanos, this.format);
  }

  /** The whole amount, rounded away from zero. */
  value(): bigint {
    return awayFromZero(this.nanos, NANO);
  }

  /** The amount in thousandths, rounded away from zero. */
  milliValue(): bigint {
    return awayFromZero(this.nanos, MILLI);
  }

  /** This quantity if it is a whole number of thousandths. Otherwise it is rounded away from zero to thousandths. */
  roundUpToMilli(): Quantity {
    return this.nanos % MILLI === 0n ? this : new Quantity(this.milliValue() * MILLI, this.format);
  }

  toString(): string {
    return this.#text ?? canonicalText(this.nanos, this.format);
  }

  toJSON(): string {
    return this.toString();
  }
}

/**
 * Parses a quantity from a text or a JSON number. Surrounding blanks are accepted. If the spelling already has the
 * canonical suffix (`0005`, `+1`, `1.`, `1e9`), it is kept. Otherwise `toString` gives the canonical spelling. Binary
 * amounts end at 2^63-1.
 *
 * @throws ValueError
 */
export function parseQuantity(input: string | number | JsonNumber): Quantity {
  return parseText(typeof input === 'string' ? input : String(input));
}

/** Parsed quantities. Most objects use the same few quantities, and the server parses each of them several times. */
const parseText = remembered((text) => parse(text.trim()), { most: 1000, longest: 32 });

function parse(text: string): Quantity {
  if (text === '') throw new ValueError(BAD_FORMAT);
  const { negative, whole, fraction, suffix } = split(text);
  const { exponent, format } = interpret(suffix);
  const digits = whole + fraction;
  if (digits.length > MAX_DIGITS || exponent > MAX_DIGITS) throw new ValueError(BAD_NUMBER);
  const unsigned =
    format === 'BinarySI'
      ? binaryNanos(digits, fraction.length, exponent)
      : decimalNanos(digits, exponent - fraction.length);
  const nanos = negative ? -unsigned : unsigned;
  if (keepsSpelling(whole, fraction, exponent, format, unsigned)) return new Quantity(nanos, format, text);
  return new Quantity(nanos, format === 'BinarySI' && unsigned < NANO ? 'DecimalSI' : format);
}

/**
 * The canonical text of a quantity, which is a text or a number.
 *
 * @throws ValueError
 *
 * @example canonicalQuantity('1000m') // => '1'
 */
export function canonicalQuantity(input: string | number | JsonNumber): string {
  return typeof input === 'string' && PLAIN.test(input) ? input : parseQuantity(input).toString();
}

/**
 * Compares two quantities in text form.
 *
 * @throws ValueError
 *
 * @example compareQuantities('1Gi', '1G') // => 1
 */
export function compareQuantities(a: string, b: string): -1 | 0 | 1 {
  return parseQuantity(a).compare(parseQuantity(b));
}

interface Parts {
  negative: boolean;
  /** The digits without leading zeros. `0` if none remains. */
  whole: string;
  fraction: string;
  suffix: string;
}

function split(text: string): Parts {
  let at = 0;
  const negative = text[0] === '-';
  if (negative || text[0] === '+') at++;
  while (text[at] === '0') at++;
  const wholeStart = at;
  at = skipDigits(text, at);
  const whole = text.slice(wholeStart, at) || '0';
  let fraction = '';
  if (text[at] === '.') {
    const end = skipDigits(text, at + 1);
    fraction = text.slice(at + 1, end);
    at = end;
  }
  const suffix = text.slice(at);
  while (at < text.length && SUFFIX_LETTERS.includes(text.charAt(at))) at++;
  if (text[at] === '-' || text[at] === '+') at++;
  if (skipDigits(text, at) !== text.length) throw new ValueError(BAD_FORMAT);
  return { negative, whole, fraction, suffix };
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
  return at;
}

function interpret(suffix: string): { exponent: number; format: QuantityFormat } {
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  if (decimal >= 0) return { exponent: 3 * decimal - 9, format: 'DecimalSI' };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { exponent: 10 * binary, format: 'BinarySI' };
  if ((suffix[0] === 'e' || suffix[0] === 'E') && /^[-+]?[0-9]{1,10}$/.test(suffix.slice(1))) {
    return { exponent: Number(suffix.slice(1)), format: 'DecimalExponent' };
  }
  throw new ValueError(BAD_SUFFIX);
}

function decimalNanos(digits: string, scale: number): bigint {
  const shift = scale + 9;
  if (shift >= 0) return BigInt(digits) * 10n ** BigInt(shift);
  // An amount above zero rounds up to at least one billionth. For a much smaller amount, there is nothing to compute.
  if (-shift > digits.length) return BigInt(digits) === 0n ? 0n : 1n;
  return awayFromZero(BigInt(digits), 10n ** BigInt(-shift));
}

function binaryNanos(digits: string, fractionLength: number, exponent: number): bigint {
  const nanos = awayFromZero((BigInt(digits) << BigInt(exponent)) * NANO, 10n ** BigInt(fractionLength));
  return nanos > MAX_INT64 * NANO ? MAX_INT64 * NANO : nanos;
}

/**
 * Whether a client gets back its own spelling of a quantity. Observations show that it does in two cases. The digits
 * have at most 18 places, and the number already has an exponent that is a multiple of three, without three zeros at
 * the end. Or it counts binary units that are not divisible by eight.
 */
function keepsSpelling(
  whole: string,
  fraction: string,
  exponent: number,
  format: QuantityFormat,
  unsigned: bigint,
): boolean {
  const digits = whole + fraction;
  if (format === 'BinarySI') {
    const room = 14 - whole.length - Math.trunc((exponent * 3) / 10);
    return fraction === '' && room >= 0 && unsigned <= MAX_INT64 * NANO && (BigInt(whole) & 7n) !== 0n;
  }
  const scale = exponent - fraction.length;
  return digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith('000') && digits[0] !== '0';
}

/** The quotient with its size rounded up. */
function awayFromZero(amount: bigint, divisor: bigint): bigint {
  const quotient = amount / divisor;
  if (quotient * divisor === amount) return quotient;
  return amount < 0n ? quotient - 1n : quotient + 1n;
}

function canonicalText(nanos: bigint, format: QuantityFormat): string {
  if (nanos === 0n) return '0';
  const whole = nanos / NANO;
  if (format === 'BinarySI' && nanos % NANO === 0n && (whole >= 1024n || whole <= -1024n)) {
    let mantissa = whole;
    let power = 0;
    while (power < BINARY_SUFFIXES.length - 1 && mantissa % 1024n === 0n) {
      mantissa /= 1024n;
      power++;
    }
    return `${mantissa}${BINARY_SUFFIXES[power]}`;
  }
  let mantissa = nanos;
  let exponent = -9;
  while (mantissa % 1000n === 0n) {
    mantissa /= 1000n;
    exponent += 3;
  }
  if (exponent === 0) return String(mantissa);
  const suffix = format === 'DecimalExponent' ? undefined : DECIMAL_SUFFIXES[exponent / 3 + 3];
  return `${mantissa}${suffix ?? `e${exponent}`}`;
}

import { ValueError } from './value-error.ts';

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const LIMIT = 2n ** 63n;
/** The largest number of digits. Longer numbers do not fit, and no unit has more decimal places. */
const MAX_DIGITS = 19;
/** The largest length. Every sensible duration is shorter, and each of its parts takes time. */
const MAX_LENGTH = 1000;

/**
 * Milliseconds of a duration such as `1m30s`, `1.5h`, `-250ms`.
 *
 * @throws ValueError
 *
 * @example parseDuration('1m30s') // => 90000
 */
export function parseDuration(text: string): number {
  return Number(durationNanoseconds(text)) / 1e6;
}

/**
 * A duration in milliseconds as text: `1m0s`, `1.5s`, `20ms`, `0s`.
 *
 * @example formatDuration(90_000) // => '1m30s'
 */
export function formatDuration(milliseconds: number): string {
  return write(BigInt(Math.round(milliseconds * 1e6)));
}

/**
 * The canonical spelling of a duration: `60s` is `1m0s`.
 *
 * @throws ValueError
 *
 * @example canonicalDuration('60s') // => '1m0s'
 */
export function canonicalDuration(text: string): string {
  return write(durationNanoseconds(text));
}

/**
 * Nanoseconds of such a duration, which fit into 64 bits.
 *
 * @throws ValueError
 *
 * @example durationNanoseconds('1ms') // => 1000000n
 */
export function durationNanoseconds(text: string): bigint {
  const invalid = () => new ValueError(`time: invalid duration ${JSON.stringify(text)}`);
  const negative = text[0] === '-';
  const unsigned = negative || text[0] === '+' ? text.slice(1) : text;
  if (unsigned === '0') return 0n;
  if (unsigned === '' || text.length > MAX_LENGTH) throw invalid();
  const part = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y;
  let total = 0n;
  while (part.lastIndex < unsigned.length) {
    const [, whole = '', fraction = '', unit = ''] = part.exec(unsigned) ?? [];
    if (whole === '' && fraction === '') throw invalid();
    if (unit === '') throw new ValueError(`time: missing unit in duration ${JSON.stringify(text)}`);
    const size = UNITS.get(unit);
    if (size === undefined) {
      throw new ValueError(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
    }
    const number = whole.replace(/^0+/, '');
    if (number.length > MAX_DIGITS) throw invalid();
    const places = fraction.slice(0, MAX_DIGITS);
    total += BigInt(number) * size + (BigInt(places) * size) / 10n ** BigInt(places.length);
    if (total >= LIMIT) throw invalid();
  }
  return negative ? -total : total;
}

function write(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}\u00b5s`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** The number `value` with `places` of its digits after the point, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const unit = 10n ** BigInt(places);
  const fraction = String(value % unit)
    .padStart(places, '0')
    .replace(/0{1,9}$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}

/** @example bytesText(1_572_864) // => '1.5 MiB' */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${shortText(bytes / 1024 ** step)} ${units[step]}`;
}

/** @example secondsText(0.0123) // => '12 ms' */
export function secondsText(seconds: number): string {
  if (seconds === 0) return '0';
  if (seconds < 0.001) return `${shortText(seconds * 1_000_000)} µs`;
  if (seconds < 1) return `${shortText(seconds * 1000)} ms`;
  return seconds < 120 ? `${shortText(seconds)} s` : `${shortText(seconds / 60)} min`;
}

/** A number with at most two significant digits after the point. */
export function shortText(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en');
  return value.toPrecision(2).replace(/\.0+$/, '');
}

/** The time of day. */
export function clockText(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB');
}

const DAY_MS = 86_400_000;

/** The time until an end, and whether that is soon, or over. */
export interface TimeLeft {
  readonly text: string;
  readonly state: 'good' | 'soon' | 'over';
}

/** The number of days before its end at which a certificate should be replaced. */
const SOON_DAYS = 30;

/** @example timeLeft(now + 864e5 * 3, now) // => { text: 'in 3 days', state: 'soon' } */
export function timeLeft(ends: number, now: number): TimeLeft {
  const left = ends - now;
  if (left <= 0) return { text: `ended ${lengthText(Math.abs(left))} ago`, state: 'over' };
  return { text: `in ${lengthText(left)}`, state: left < SOON_DAYS * DAY_MS ? 'soon' : 'good' };
}

function lengthText(ms: number): string {
  const steps: readonly [unit: string, length: number][] = [
    ['day', DAY_MS],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ];
  const [unit, length] = steps.find(([, one]) => ms >= one) ?? ['minute', 60_000];
  const count = Math.floor(ms / length);
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
}

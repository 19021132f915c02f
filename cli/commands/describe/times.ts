import { formatAge } from '../../output/age.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const NO_TIME = 'Mon, 01 Jan 0001 00:00:00 +0000';

/** A time in the form of descriptions, in the time zone of the reader, such as `Tue, 02 Jan 2024 03:04:05 +0000`. */
export function timeText(time: string | null | undefined): string {
  if (!time) return NO_TIME;
  const at = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${DAYS[at.getDay()]}, ${two(at.getDate())} ${MONTHS[at.getMonth()]} ${String(at.getFullYear()).padStart(4, '0')}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${offsetText(at)}`;
}

/** The time that has passed since `time`. `<unknown>` if the time is not known. */
export function ageText(time: string | null | undefined, now: number): string {
  return time ? formatAge(now - Date.parse(time)) : '<unknown>';
}

/** A time in the form that programs of the field log, such as `2024-01-02 03:04:05 +0000 UTC`. */
export function momentText(time: string | null | undefined): string {
  const at = new Date(time ?? '');
  if (!time || Number.isNaN(at.getTime())) return '0001-01-01 00:00:00 +0000 UTC';
  const two = (number: number) => String(number).padStart(2, '0');
  const zone = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${offsetText(at)} ${zone ?? 'UTC'}`;
}

function offsetText(at: Date): string {
  const offset = -at.getTimezoneOffset();
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
}

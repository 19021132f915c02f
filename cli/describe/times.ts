import { formatAge } from '../output/age.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const NO_TIME = 'Mon, 01 Jan 0001 00:00:00 +0000';

/** A time as descriptions show it, in the zone of whoever reads it: `Tue, 02 Jan 2024 03:04:05 +0000`. */
export function timeText(time: string | null | undefined): string {
  if (!time) return NO_TIME;
  const at = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  const offset = -at.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  const day = `${DAYS[at.getDay()]}, ${two(at.getDate())} ${MONTHS[at.getMonth()]} ${String(at.getFullYear()).padStart(4, '0')}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zone}`;
}

/** How long ago it was; `<unknown>` where nobody knows. */
export function ageText(time: string | null | undefined, now: number): string {
  return time ? formatAge(now - Date.parse(time)) : '<unknown>';
}

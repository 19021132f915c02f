const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A duration for people. It has two units if the first number is small (`2m5s`, `3d4h`), and otherwise one unit (`45m`,
 * `200d`).
 */
export function formatAge(ms: number): string {
  if (ms < -2 * SECOND) return '<invalid>';
  if (ms < 0) return '0s';
  const seconds = Math.floor(ms / SECOND);
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(ms / HOUR);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(ms / DAY);
  if (hours < 192) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  if (days < 8 * 365) return two(years, 'y', days % 365, 'd');
  return `${years}y`;
}

function two(a: number, unit: string, b: number, smaller: string): string {
  return b === 0 ? `${a}${unit}` : `${a}${unit}${b}${smaller}`;
}

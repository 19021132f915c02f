import type { FlagType } from './flag-definition.ts';
import type { FlagValue } from './flag-values.ts';

const UNITS: readonly (readonly [unit: string, milliseconds: number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
];

/** A duration in the form `1h2m3.5s`. It has every unit below the first that is not zero. */
function durationText(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  const sign = milliseconds < 0 ? '-' : '';
  let rest = Math.abs(milliseconds);
  if (rest < 1000) return `${sign}${rest}ms`;
  let text = '';
  for (const [unit, size] of UNITS) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0 || text !== '') text += `${amount}${unit}`;
  }
  return `${sign}${text}${rest / 1000}s`;
}

/** An entry of a list. It is in quotes if it could be read as several entries. */
function entryText(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function pairs(value: ReadonlyMap<string, unknown>): string {
  return [...value]
    .map(([name, own]) => `${name}=${String(own)}`)
    .sort()
    .join(',');
}

/**
 * The value of a flag in the form of the field's programs: `[Node,RBAC]`, `1m0s`, `30000-32767`.
 *
 * @example flagText('duration', 60_000) // => '1m0s'
 */
export function flagText(type: FlagType, value: FlagValue): string {
  if (type === 'duration') return durationText(value as number);
  if (type === 'portRange') return (value as readonly number[]).join('-');
  if (Array.isArray(value)) return `[${value.map((entry) => entryText(String(entry))).join(',')}]`;
  if (value instanceof Map) return type === 'stringToString' ? `[${pairs(value)}]` : pairs(value);
  return String(value);
}

import { goText } from '../../output/go-syntax.ts';
import type { Describer } from './describer.ts';
import { heading } from './heading.ts';
import type { DescriptionWriter } from './writer.ts';

/** Describes any object: first its metadata, then all of its fields. */
export const describeAny: Describer = (writer, object) => {
  const { name: _n, namespace: _s, labels: _l, annotations: _a, managedFields: _m, ...rest } = object.metadata;
  heading(writer, object);
  content(writer, 0, { ...object, metadata: rest });
};

function content(writer: DescriptionWriter, level: number, fields: object): void {
  for (const [name, value] of Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue;
    const label = labelOf(name);
    if (Array.isArray(value)) {
      writer.line(level, `${label}:`);
      for (const item of value as unknown[])
        if (isFields(item)) content(writer, level + 1, item);
        else writer.line(level + 1, goText(item));
    } else if (isFields(value)) {
      writer.line(level, `${label}:`);
      content(writer, level + 1, value);
    } else writer.line(level, `${label}:\t${goText(value)}`);
  }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value);
}

/** Words that are written in capitals. */
const CAPITALS = new Set(['API', 'URL', 'UID', 'OSB', 'GUID']);

/**
 * Converts `creationTimestamp` to `Creation Timestamp`. Names with characters other than letters and dashes stay
 * unchanged.
 */
export function labelOf(name: string): string {
  if (!/^[\p{L}-]+$/u.test(name)) return name;
  const words = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[^\p{Lu}\p{Ll}]+/gu) ?? [name];
  return words
    .map((word) => (CAPITALS.has(word.toUpperCase()) ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1)))
    .join(' ');
}

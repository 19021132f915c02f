import type { JsonValue } from '#base/json/json-value.ts';
import { isScalar, scalarText } from '#schema/apply/value.ts';

/** A text for a value. Equal values have the same text. */
export function itemText(item: JsonValue): string {
  if (isScalar(item)) return scalarText(item);
  if (Array.isArray(item)) return `[${item.map(itemText).join(',')}]`;
  const names = Object.keys(item).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${itemText(item[name]!)}`).join(',')}}`;
}

import { isScalar, scalarText } from '../../apply/value.ts';
import type { JsonValue } from '../../json/json-value.ts';

/** One text for equal values. */
export function itemText(item: JsonValue): string {
  if (isScalar(item)) return scalarText(item);
  if (Array.isArray(item)) return `[${item.map(itemText).join(',')}]`;
  const names = Object.keys(item).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${itemText(item[name]!)}`).join(',')}}`;
}

import type { ApiObject } from '#schema/objects/api-object.ts';
import type { KindRules } from '../api/resource-definition.ts';

/**
 * The values of an object by field label, for selectors and tables. They come from the kind's rule if it has one, and
 * otherwise from the path that the label spells.
 */
export function selectableFields(
  labels: readonly string[],
  rules: KindRules,
): (object: ApiObject) => Record<string, string> {
  const readers = labels.map((label) => {
    const rule = rules.selectableFields?.[label];
    return [label, rule ?? ((object: ApiObject) => textAt(object, label.split('.')))] as const;
  });
  return (object) => {
    // biome-ignore lint/plugin: its names are those of the kind, and there is one for each object
    const fields: Record<string, string> = {};
    for (const [label, read] of readers) {
      const value = read(object);
      if (value !== '') fields[label] = value;
    }
    return fields;
  };
}

function textAt(object: unknown, path: readonly string[]): string {
  let value = object;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return '';
    value = (value as Record<string, unknown>)[part];
  }
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

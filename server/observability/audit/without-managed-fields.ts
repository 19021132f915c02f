import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { stringify } from '#base/json/stringify.ts';

/**
 * The value without `metadata.managedFields`: in itself, in the items of a list, and in the objects of a table's rows.
 */
export function withoutManagedFields(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const { metadata, items, rows } = value;
  return {
    ...value,
    ...(isObject(metadata) && { metadata: stripped(metadata) }),
    ...(Array.isArray(items) && { items: items.map(withoutManagedFields) }),
    ...(Array.isArray(rows) && { rows: rows.map(rowWithout) }),
  };
}

/** Like {@link withoutManagedFields}, from text to text. */
export function jsonWithoutManagedFields(json: string): string {
  return json.includes('"managedFields"') ? stringify(withoutManagedFields(parseJson(json).value)) : json;
}

function stripped({ managedFields: _, ...rest }: Record<string, JsonValue>): Record<string, JsonValue> {
  return rest;
}

function rowWithout(row: JsonValue): JsonValue {
  return isObject(row) && isObject(row['object']) ? { ...row, object: withoutManagedFields(row['object']) } : row;
}

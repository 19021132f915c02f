import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { isScalar, scalarText } from '#schema/apply/value.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * Finds the old item that belongs to an item of the new list. In a list that is a map, the keys decide. In other lists
 * the old item is unknown.
 */
export function itemFinder(
  { listType, listMapKeys }: StructuralSchema,
  old: JsonValue | undefined,
): (item: JsonValue) => JsonValue | undefined {
  if (listType !== 'map' || !Array.isArray(old)) return () => undefined;
  let byKey: Map<string, JsonValue> | undefined;
  return (item) => {
    byKey ??= new Map(
      old.flatMap((each): [string, JsonValue][] => {
        const key = keyOf(each, listMapKeys);
        return key === undefined ? [] : [[key, each]];
      }),
    );
    const key = keyOf(item, listMapKeys);
    return key === undefined ? undefined : byKey.get(key);
  };
}

function keyOf(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const values = keys.map((key) => (Object.hasOwn(item, key) ? item[key]! : null));
  return values.every(isScalar) ? values.map((value) => scalarText(value)).join(',') : undefined;
}

import { cloneJson } from '#base/json/clone-json.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * Fills in place what is missing, or null where null is no value, with the defaults of the schema; says whether there
 * was anything. Defaults inside of defaults come too, so that doing it again changes nothing.
 */
export function defaultValues(schema: StructuralSchema, value: JsonValue): boolean {
  if (!schema.holds.defaults || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return defaultItems(schema, value);
  return isObject(value) && defaultMembers(schema, value);
}

function defaultItems({ items }: StructuralSchema, list: JsonValue[]): boolean {
  let filled = false;
  if (items === undefined) return false;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === null && !items.nullable && items.hasDefault) {
      list[i] = cloneJson(items.default);
      filled = true;
    }
    if (defaultValues(items, list[i]!)) filled = true;
  }
  return filled;
}

function defaultMembers({ properties, additional }: StructuralSchema, object: { [name: string]: JsonValue }): boolean {
  let filled = false;
  const fill = (name: string, { default: value }: StructuralSchema) => {
    setKey(object, name, cloneJson(value));
    filled = true;
  };
  for (const [name, property] of properties) {
    if (!property.hasDefault) continue;
    if (!Object.hasOwn(object, name) || (object[name] === null && !property.nullable)) fill(name, property);
  }
  for (const name in object) {
    const property = properties.get(name);
    const schema = property ?? (typeof additional === 'object' ? additional : undefined);
    if (schema === undefined) continue;
    if (property === undefined && object[name] === null && !schema.nullable && schema.hasDefault) fill(name, schema);
    if (defaultValues(schema, object[name]!)) filled = true;
  }
  return filled;
}

import { cloneJson } from '../../json/clone-json.ts';
import { isObject, type JsonValue } from '../../json/json-value.ts';
import { setKey } from '../../json/set-key.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * Fills in place what is missing, or null where null is no value, with the defaults of the schema. Defaults inside of
 * defaults come too, so that doing it again changes nothing.
 */
export function defaultValues(schema: StructuralSchema, value: JsonValue): void {
  if (!schema.holds.defaults || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) defaultItems(schema, value);
  else if (isObject(value)) defaultMembers(schema, value);
}

function defaultItems({ items }: StructuralSchema, list: JsonValue[]): void {
  if (items === undefined) return;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === null && !items.nullable && items.hasDefault) list[i] = cloneJson(items.default);
    defaultValues(items, list[i]!);
  }
}

function defaultMembers({ properties, additional }: StructuralSchema, object: { [name: string]: JsonValue }): void {
  for (const [name, property] of properties) {
    if (!property.hasDefault) continue;
    if (!Object.hasOwn(object, name) || (object[name] === null && !property.nullable)) {
      setKey(object, name, cloneJson(property.default));
    }
  }
  for (const name in object) {
    const property = properties.get(name);
    if (property !== undefined) defaultValues(property, object[name]!);
    else if (typeof additional === 'object') {
      if (object[name] === null && !additional.nullable && additional.hasDefault) {
        setKey(object, name, cloneJson(additional.default));
      }
      defaultValues(additional, object[name]!);
    }
  }
}

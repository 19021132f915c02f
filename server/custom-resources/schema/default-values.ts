import { cloneJson } from '#base/json/clone-json.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { stringify } from '#base/json/stringify.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The largest number of characters that defaults add to one object. By default etcd stores no larger objects. */
const MOST_ADDED = 1.5 * 1024 * 1024;
/** The characters of a member or an item besides its name and value. */
const PUNCTUATION = 4;

/**
 * The error that defaults would make an object larger than any that can be stored. Some defaults are already set at
 * that point.
 */
export class DefaultsTooLargeError extends Error {}

/** The lengths of defaults as JSON. They are computed at their first use. */
const lengths = new WeakMap<StructuralSchema, number>();

function lengthOf(schema: StructuralSchema): number {
  let length = lengths.get(schema);
  if (length === undefined) lengths.set(schema, (length = stringify(schema.default).length));
  return length;
}

/** The number of characters that defaults have added so far. */
class Room {
  #left = MOST_ADDED;

  take(name: string, schema: StructuralSchema): void {
    this.#left -= name.length + PUNCTUATION + lengthOf(schema);
    if (this.#left < 0) throw new DefaultsTooLargeError();
  }
}

/**
 * Sets the defaults of the schema in place, for members that are missing, or null if the schema does not allow null.
 * Returns true if it added any. It also sets defaults inside defaults, so a second call changes nothing.
 * @throws DefaultsTooLargeError
 */
export function defaultValues(schema: StructuralSchema, value: JsonValue, room = new Room()): boolean {
  if (!schema.holds.defaults || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return defaultItems(schema, value, room);
  return isObject(value) && defaultMembers(schema, value, room);
}

function defaultItems({ items }: StructuralSchema, list: JsonValue[], room: Room): boolean {
  let filled = false;
  if (items === undefined) return false;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === null && !items.nullable && items.hasDefault) {
      room.take('', items);
      list[i] = cloneJson(items.default);
      filled = true;
    }
    if (defaultValues(items, list[i]!, room)) filled = true;
  }
  return filled;
}

function defaultMembers(
  { properties, additional }: StructuralSchema,
  object: { [name: string]: JsonValue },
  room: Room,
): boolean {
  let filled = false;
  const fill = (name: string, by: StructuralSchema) => {
    room.take(name, by);
    setKey(object, name, cloneJson(by.default));
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
    if (defaultValues(schema, object[name]!, room)) filled = true;
  }
  return filled;
}

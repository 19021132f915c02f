import { isObject, type JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType } from '../descriptors/types.ts';

/**
 * A value without the fields of features that are off, because the server ignores them. The value is not changed. The
 * result shares its parts. If there are no such fields, it is the value itself.
 */
export function withoutOff(type: MessageType, value: JsonValue): JsonValue {
  if (type.jsonForm !== 'object' || !isObject(value)) return value;
  let changed = false;
  const left: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (type.off.has(name) && !type.byJsonName.has(name)) {
      changed = true;
      continue;
    }
    const after = inField(type.byJsonName.get(name), member);
    changed ||= after !== member;
    left.push([name, after]);
  }
  return changed ? Object.fromEntries(left) : value;
}

function inField(field: FieldType | undefined, value: JsonValue): JsonValue {
  const message = field?.message;
  if (message === undefined) return value;
  if (field!.repeated) {
    if (!Array.isArray(value)) return value;
    const items = value.map((item) => withoutOff(message, item));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!field!.map) return withoutOff(message, value);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => [key, withoutOff(message, item)]);
  return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
}

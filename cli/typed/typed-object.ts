import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { FieldType, MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Session } from '../connection/session.ts';
import { orderOf } from '../output/field-order.ts';

/**
 * An object of a built-in kind in the form of a program with declared types. The kind comes first, and fields are in
 * the order of their declaration. Fields that such a program always writes (`status: {}`) are present, and unknown
 * fields are absent. Neither argument is changed.
 */
export function asTyped<T extends object>(value: T, message: MessageType): T {
  return typed(value as JsonObject, message) as T;
}

/** The declaration of the type of an object. Undefined if the kind is not built in. */
export async function declaredKind(session: Session, object: ApiObject): Promise<MessageType | undefined> {
  const naming = await session.naming();
  const [version = '', long = ''] = (object.apiVersion ?? '').split('/').reverse();
  const group = long === '' ? '' : naming.shortGroup(long);
  return group === undefined ? undefined : loadSchema(naming).kind(group, version, object.kind ?? '');
}

function typed(value: JsonObject, message: MessageType): JsonObject {
  const result: JsonObject = {};
  for (const name of message.typeMeta ? ['kind', 'apiVersion'] : []) {
    const own = value[name];
    if (own !== undefined) result[name] = own;
  }
  for (const field of orderOf(message)) {
    const own = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (own === undefined || own === null) {
      const zero = zeroOf(field);
      if (zero !== undefined) result[field.name] = zero;
    } else if (!isLeftOut(field, own)) result[field.name] = typedField(own, field);
  }
  return result;
}

function typedField(value: JsonValue, { message, repeated, map }: FieldType): JsonValue {
  if (message?.jsonForm !== 'object') return value;
  const one = (item: JsonValue) => (isObject(item) ? typed(item, message) : item);
  if (repeated) return Array.isArray(value) ? value.map(one) : value;
  if (map && isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item)]));
  return one(value);
}

/** Whether a value counts as absent. Such values are `""`, `0`, `false`, and empty lists and maps. */
function isLeftOut({ omitempty, pointer, repeated, map, message }: FieldType, value: JsonValue): boolean {
  if (!omitempty) return false;
  if (repeated) return Array.isArray(value) && value.length === 0;
  if (map) return isObject(value) && Object.keys(value).length === 0;
  return !pointer && message === undefined && (value === '' || value === 0 || value === false);
}

/** The value that is written for a missing field. Undefined if the field is omitted. */
function zeroOf({ omitempty, pointer, repeated, map, message, scalar }: FieldType): JsonValue | undefined {
  if (!pointer && !repeated && !map && message !== undefined) {
    if (message.jsonForm === 'object') return typed({}, message);
    if (message.jsonForm === 'int-or-string') return 0;
    if (message.jsonForm === 'time' || message.jsonForm === 'micro-time') return null;
  }
  if (omitempty) return undefined;
  if (pointer || repeated || map) return null;
  if (scalar === 'string') return '';
  if (scalar === 'bool') return false;
  return scalar === 'int32' || scalar === 'int64' || scalar === 'double' ? 0 : undefined;
}

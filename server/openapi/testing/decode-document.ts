import { readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Form } from '../model.ts';

/** Reads the protobuf form of a document back into JSON, as clients see it. */
export function decodeDocument(form: Form, bytes: Uint8Array): JsonValue {
  const file = path.join(import.meta.dirname, '../testdata', `openapi-${form}.proto`);
  const { root } = protobuf.parse(readFileSync(file, 'utf8'), { keepCase: true });
  root.resolveAll();
  const type = root.lookupType('Document');
  return fromMessage(type, type.decode(bytes) as unknown as Record<string, unknown>);
}

function fromMessage(type: protobuf.Type, message: Record<string, unknown>): JsonValue {
  if (type.name === 'Any') return JSON.parse(message['yaml'] as string) as JsonValue;
  const set = type.fieldsArray.filter(({ name, repeated }) =>
    repeated ? (message[name] as unknown[]).length > 0 : Object.hasOwn(message, name),
  );
  if (type.oneofsArray.length > 0 || type.name === 'ItemsItem' || type.name === 'TypeItem') {
    const [field] = set;
    const value = fromField(field!, message[field!.name]);
    return Array.isArray(value) ? value[0]! : value;
  }
  if (type.name === 'StringArray') return (message['value'] ?? []) as string[];
  const result: JsonObject = {};
  for (const field of set) {
    const value = fromField(field, message[field.name]);
    const pairs = field.type.startsWith('Named') ? (value as { name: string; value: JsonValue }[]) : undefined;
    if (pairs === undefined) result[jsonName(field.name)] = value;
    else for (const pair of pairs) result[pair.name] = pair.value ?? [];
  }
  return result;
}

function fromField(field: protobuf.Field, value: unknown): JsonValue {
  const one = (item: unknown): JsonValue =>
    field.resolvedType instanceof protobuf.Type
      ? fromMessage(field.resolvedType, item as Record<string, unknown>)
      : (item as JsonValue);
  return field.repeated ? (value as unknown[]).map(one) : one(value);
}

function jsonName(name: string): string {
  return name === '_ref' ? '$ref' : name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

import type { Writer } from 'protobufjs';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType, ValueType } from '#schema/descriptors/types.ts';
import { scalarCodecs } from './scalars.ts';
import { formCodecs } from './value-forms.ts';
import { tagOf, WireType } from './wire.ts';

/** Writes a value: the content of a message, or a field with its tag. Undefined and null count as zero. */
export type Encoder = (writer: Writer, value: JsonValue | undefined) => void;

/** Writes one field of an object. */
type FieldEncoder = (writer: Writer, object: JsonObject) => void;

const encoders = new WeakMap<MessageType, Encoder>();

/** The encoder of a message's content. It is made once. */
export function messageEncoder(type: MessageType): Encoder {
  let encoder = encoders.get(type);
  if (encoder === undefined) {
    // The encoder is made at its first use, because a message may contain messages of its own type.
    let made: Encoder | undefined;
    encoder = (writer, value) => {
      made ??= makeEncoder(type);
      made(writer, value);
    };
    encoders.set(type, encoder);
  }
  return encoder;
}

function makeEncoder(type: MessageType): Encoder {
  switch (type.jsonForm) {
    case 'object':
      return objectEncoder(type);
    case 'items':
      return listEncoder(type.fields[0]!);
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-strings':
      return unionEncoder(type);
    default:
      return formCodecs[type.jsonForm].encode;
  }
}

function objectEncoder(type: MessageType): Encoder {
  const fields = type.fields.filter((field) => field.number !== undefined).map(fieldEncoder);
  return (writer, value) => {
    const object = (value ?? {}) as JsonObject;
    for (const encode of fields) encode(writer, object);
  };
}

function fieldEncoder(field: FieldType): FieldEncoder {
  const { name } = field;
  if (field.map) {
    const encode = mapEncoder(field);
    return (writer, object) => encode(writer, object[name]);
  }
  if (field.repeated) {
    const encode = listEncoder(field);
    return (writer, object) => encode(writer, object[name]);
  }
  const encode = taggedEncoder(field, field.number!);
  if (field.inline) return encode;
  if (!field.pointer && field.scalar !== 'bytes') return (writer, object) => encode(writer, object[name]);
  return (writer, object) => {
    const value = object[name];
    if (value !== undefined && value !== null) encode(writer, value);
  };
}

function listEncoder(field: FieldType): Encoder {
  const encode = taggedEncoder(field, field.number!);
  return (writer, list) => {
    if (!Array.isArray(list)) return;
    for (const item of list) encode(writer, item);
  };
}

/** A map is a list of entries: key 1, value 2. */
function mapEncoder(field: FieldType): Encoder {
  const tag = tagOf(field.number!, WireType.Length);
  const keyTag = tagOf(1, WireType.Length);
  const encode = taggedEncoder(field, 2);
  return (writer, map) => {
    if (map === undefined || map === null) return;
    for (const key of Object.keys(map).sort()) {
      writer.uint32(tag).fork().uint32(keyTag).string(key);
      encode(writer, (map as JsonObject)[key]);
      writer.ldelim();
    }
  };
}

/** Writes a tag, and the value after it. */
function taggedEncoder(type: ValueType, number: number): Encoder {
  if (type.message === undefined) {
    const { wireType, encode } = scalarCodecs[type.scalar!];
    const tag = tagOf(number, wireType);
    return (writer, value) => encode(writer.uint32(tag), value);
  }
  const tag = tagOf(number, WireType.Length);
  const encode = messageEncoder(type.message);
  return (writer, value) => {
    writer.uint32(tag).fork();
    encode(writer, value);
    writer.ldelim();
  };
}

/**
 * Encodes a schema, or another value that may replace it. The bool is always written. Together with a schema it is
 * true.
 */
function unionEncoder(type: MessageType): Encoder {
  const fields = type.fields.map((field) => {
    const schema = field.message !== undefined && !field.repeated;
    return { schema, bool: field.scalar === 'bool', encode: fieldValueEncoder(field) };
  });
  return (writer, value) => {
    if (value === undefined || value === null) return;
    const isSchema = typeof value === 'object' && !Array.isArray(value);
    for (const { schema, bool, encode } of fields) {
      if (bool) encode(writer, isSchema || value);
      else if (schema === isSchema && typeof value === 'object') encode(writer, value);
    }
  };
}

function fieldValueEncoder(field: FieldType): Encoder {
  return field.repeated ? listEncoder(field) : taggedEncoder(field, field.number!);
}

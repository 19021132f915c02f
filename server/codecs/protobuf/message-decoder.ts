import type { Reader } from 'protobufjs';
import { tooLarge } from '#base/errors/status-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import type { FieldType, MessageType, ValueType } from '#schema/descriptors/types.ts';
import { scalarCodecs } from './scalars.ts';
import { formCodecs } from './value-forms.ts';
import { checkEnd, checkWireType, MalformedError, readEnd, readFields, skipValue, WireType } from './wire.ts';

/** The deepest nesting of messages. */
const MAX_DEPTH = 1000;

/**
 * The limit of messages in a message of a request. Each takes a microsecond and may have only two bytes. An object of
 * the store's largest size contains some tens of thousands.
 */
const MOST_MESSAGES = 100_000;

/** How many more messages the present message may contain. */
let left = Number.POSITIVE_INFINITY;

/** Reads a message from outside with `read`. Decoders throw 413 if it has too many parts. */
export function withinBounds<T>(read: () => T): T {
  left = MOST_MESSAGES;
  try {
    return read();
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** Reads the content of a message up to `end`. `before` is the earlier value of the same field. */
export type Decoder = (reader: Reader, end: number, depth: number, before?: JsonValue) => JsonValue;

/** Reads one value into its object. */
type FieldDecoder = (reader: Reader, wireType: number, object: JsonObject, depth: number) => void;

const decoders = new WeakMap<MessageType, Decoder>();

/** The decoder of a message's content. It is made once. Fields that are absent stay absent. */
export function messageDecoder(type: MessageType): Decoder {
  let decoder = decoders.get(type);
  if (decoder === undefined) {
    // It is made at its first use, because a message may contain messages of its own type.
    let made: Decoder | undefined;
    decoder = (reader, end, depth, before) => {
      if (depth > MAX_DEPTH) throw new MalformedError('exceeded max depth');
      if (--left < 0) throw tooLarge('the body holds more values than the store takes');
      made ??= makeDecoder(type);
      return made(reader, end, depth, before);
    };
    decoders.set(type, decoder);
  }
  return decoder;
}

function makeDecoder(type: MessageType): Decoder {
  switch (type.jsonForm) {
    case 'object':
      return objectDecoder(type);
    case 'items': {
      const decode = objectDecoder(type);
      const name = type.fields[0]!.name;
      return (reader, end, depth) => (decode(reader, end, depth) as JsonObject)[name] ?? null;
    }
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-strings':
      return unionDecoder(type);
    default:
      return formCodecs[type.jsonForm].decode;
  }
}

function objectDecoder(type: MessageType): Decoder {
  const fields: (FieldDecoder | undefined)[] = [];
  for (const field of type.fields) if (field.number !== undefined) fields[field.number] = fieldDecoder(field);
  return (reader, end, depth, before) => {
    const object = isObject(before) ? before : {};
    while (reader.pos < end) {
      const tag = reader.uint32();
      const decode = fields[tag >>> 3];
      if (decode === undefined) skipValue(reader, tag & 7);
      else decode(reader, tag & 7, object, depth);
    }
    checkEnd(reader, end);
    return object;
  };
}

function fieldDecoder(field: FieldType): FieldDecoder {
  if (field.map) return mapDecoder(field);
  if (field.repeated) return listDecoder(field);
  const { name } = field;
  if (field.message === undefined) {
    const { wireType: expected, decode } = scalarCodecs[field.scalar!];
    return (reader, wireType, object) => {
      checkWireType(wireType, expected, name);
      object[name] = decode(reader);
    };
  }
  const decode = messageDecoder(field.message);
  const inline = field.inline;
  return (reader, wireType, object, depth) => {
    checkWireType(wireType, WireType.Length, name);
    const end = readEnd(reader);
    if (inline) decode(reader, end, depth + 1, object);
    else object[name] = decode(reader, end, depth + 1, object[name]);
  };
}

function listDecoder(field: FieldType): FieldDecoder {
  const { name } = field;
  const decode = valueDecoder(field, name);
  const packed = field.scalar === undefined ? undefined : scalarCodecs[field.scalar];
  return (reader, wireType, object, depth) => {
    const before = object[name];
    const list = Array.isArray(before) ? before : [];
    object[name] = list;
    if (packed !== undefined && packed.wireType !== WireType.Length && wireType === WireType.Length) {
      const end = readEnd(reader);
      while (reader.pos < end) list.push(packed.decode(reader));
      checkEnd(reader, end);
    } else list.push(decode(reader, wireType, depth));
  };
}

function mapDecoder(field: FieldType): FieldDecoder {
  const { name } = field;
  const decode = valueDecoder(field, name);
  const zero = field.scalar === undefined ? undefined : scalarCodecs[field.scalar].zero;
  const empty = field.message?.jsonForm === 'object' ? () => ({}) : () => zero ?? null;
  return (reader, wireType, object, depth) => {
    checkWireType(wireType, WireType.Length, name);
    const before = object[name];
    const map = isObject(before) ? before : {};
    object[name] = map;
    let key = '';
    let value: JsonValue | undefined;
    readFields(reader, readEnd(reader), (number, entryType) => {
      if (number === 1) {
        checkWireType(entryType, WireType.Length, name);
        key = reader.string();
      } else if (number === 2) value = decode(reader, entryType, depth);
      else return false;
      return true;
    });
    setKey(map, key, value ?? empty());
  };
}

/** Reads a list item or a map value. */
function valueDecoder(type: ValueType, name: string): (reader: Reader, wireType: number, depth: number) => JsonValue {
  if (type.message === undefined) {
    const { wireType: expected, decode } = scalarCodecs[type.scalar!];
    return (reader, wireType) => {
      checkWireType(wireType, expected, name);
      return decode(reader);
    };
  }
  const decode = messageDecoder(type.message);
  return (reader, wireType, depth) => {
    checkWireType(wireType, WireType.Length, name);
    return decode(reader, readEnd(reader), depth + 1);
  };
}

/** A schema if there is one; otherwise the list or bool in its place. */
function unionDecoder(type: MessageType): Decoder {
  const decode = objectDecoder(type);
  const schema = type.fields.find((field) => field.message !== undefined && !field.repeated)!.name;
  const other = type.fields.find((field) => field.name !== schema)!;
  const absent = other.scalar === 'bool' ? false : null;
  return (reader, end, depth) => {
    const object = decode(reader, end, depth) as JsonObject;
    return object[schema] ?? object[other.name] ?? absent;
  };
}

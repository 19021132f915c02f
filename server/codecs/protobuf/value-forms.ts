import type { Reader, Writer } from 'protobufjs';
import type { JsonNumber, JsonValue } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { stringify } from '#base/json/stringify.ts';
import type { JsonForm } from '#schema/descriptors/types.ts';
import { formatDuration, parseDuration } from '#schema/values/duration.ts';
import { readInt64, writeInt64 } from './scalars.ts';
import { checkWireType, MalformedError, readFields, tagOf, WireType } from './wire.ts';

/** How the content of a message is written and read if the message is a single value in JSON. */
export interface FormCodec {
  encode(writer: Writer, value: JsonValue | undefined): void;
  /** Reads up to `end`. */
  decode(reader: Reader, end: number): JsonValue;
}

/** Forms that have the same wire form everywhere. */
export type ValueForm = Exclude<
  JsonForm,
  'object' | 'items' | 'schema-or-array' | 'schema-or-bool' | 'schema-or-strings'
>;

/** The range of the years 0 to 9999, which RFC 3339 can express. */
const MIN_SECONDS = -62167219200;
const MAX_SECONDS = 253402300799;

const VARINT_1 = tagOf(1, WireType.Varint);
const VARINT_2 = tagOf(2, WireType.Varint);
const LENGTH_1 = tagOf(1, WireType.Length);
const LENGTH_3 = tagOf(3, WireType.Length);

/** Free-form JSON is sent as its text. */
const rawJson: FormCodec = {
  encode(writer, value) {
    if (value !== undefined && value !== null) writer.uint32(LENGTH_1).bytes(Buffer.from(stringify(value)));
  },
  decode(reader, end) {
    let value: JsonValue = null;
    readFields(reader, end, (number, wireType) => {
      if (number !== 1) return false;
      checkWireType(wireType, WireType.Length, 'raw');
      const bytes = reader.bytes();
      value = bytes.length === 0 ? null : parseJson(bytes).value;
      return true;
    });
    return value;
  },
};

const wireOnly: FormCodec = {
  encode() {
    throw new Error('a message of the wire has no JSON form');
  },
  decode() {
    throw new Error('a message of the wire has no JSON form');
  },
};

export const formCodecs: Readonly<Record<ValueForm, FormCodec>> = {
  quantity: { encode: encodeQuantity, decode: decodeQuantity },
  'int-or-string': { encode: encodeIntOrString, decode: decodeIntOrString },
  time: {
    encode(writer, value) {
      if (typeof value === 'string') writeMoment(writer, seconds(value), 0);
    },
    decode(reader, end) {
      return readMoment(reader, end, (text) => `${text}Z`);
    },
  },
  'micro-time': {
    encode(writer, value) {
      if (typeof value === 'string') writeMoment(writer, seconds(value), Number(value.slice(20, 26)) * 1000);
    },
    decode(reader, end) {
      return readMoment(reader, end, (text, nanos) => {
        return `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
      });
    },
  },
  duration: {
    encode(writer, value) {
      const nanos = typeof value === 'string' ? Math.round(parseDuration(value) * 1e6) : 0;
      writeInt64(writer.uint32(VARINT_1), nanos);
    },
    decode(reader, end) {
      let nanos = 0;
      readFields(reader, end, (number, wireType) => {
        if (number !== 1) return false;
        checkWireType(wireType, WireType.Varint, 'duration');
        nanos = Number(readInt64(reader));
        return true;
      });
      return formatDuration(nanos / 1e6);
    },
  },
  any: rawJson,
  'raw-object': rawJson,
  'fields-v1': rawJson,
  'wire-only': wireOnly,
};

function encodeQuantity(writer: Writer, value: JsonValue | undefined): void {
  const text = typeof value === 'string' ? value : String(value ?? 0);
  writer.uint32(LENGTH_1).string(text);
}

function decodeQuantity(reader: Reader, end: number): JsonValue {
  let text = '';
  readFields(reader, end, (number, wireType) => {
    if (number !== 1) return false;
    checkWireType(wireType, WireType.Length, 'string');
    text = reader.string();
    return true;
  });
  return text;
}

/** Type 0 is a number, and type 1 a text. All three fields are written. */
function encodeIntOrString(writer: Writer, value: JsonValue | undefined): void {
  const text = typeof value === 'string';
  writer.uint32(VARINT_1).uint32(text ? 1 : 0);
  writer.uint32(VARINT_2).int32(text ? 0 : Number(value ?? 0));
  writer.uint32(LENGTH_3).string(text ? value : '');
}

function decodeIntOrString(reader: Reader, end: number): JsonValue {
  let type: number | JsonNumber = 0;
  let number = 0;
  let text = '';
  readFields(reader, end, (field, wireType) => {
    if (field < 1 || field > 3) return false;
    checkWireType(wireType, field === 3 ? WireType.Length : WireType.Varint, 'IntOrString');
    if (field === 1) type = readInt64(reader);
    else if (field === 2) number = reader.int32();
    else text = reader.string();
    return true;
  });
  if (type !== 0 && type !== 1) throw new MalformedError('an IntOrString is neither number nor text');
  return type === 0 ? number : text;
}

function seconds(text: string): number {
  return Date.parse(`${text.slice(0, 19)}Z`) / 1000;
}

function writeMoment(writer: Writer, unixSeconds: number, nanos: number): void {
  writeInt64(writer.uint32(VARINT_1), unixSeconds);
  writer.uint32(VARINT_2).int32(nanos);
}

/** Reads a time. A message without content is the zero time. */
function readMoment(reader: Reader, end: number, write: (text: string, nanos: number) => string): string | null {
  if (reader.pos === end) return null;
  let unixSeconds = 0;
  let nanos = 0;
  readFields(reader, end, (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    checkWireType(wireType, WireType.Varint, 'Time');
    if (number === 1) unixSeconds = Number(readInt64(reader));
    else nanos = reader.int32();
    return true;
  });
  if (unixSeconds < MIN_SECONDS || unixSeconds > MAX_SECONDS || nanos < 0 || nanos > 999_999_999)
    throw new MalformedError('a time is out of range');
  return write(new Date(unixSeconds * 1000).toISOString().slice(0, 19), nanos);
}

import type { Reader, Writer } from 'protobufjs';
import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import type { ScalarName } from '#schema/descriptors/types.ts';
import { WireType } from './wire.ts';

/** The wire form of a scalar. `undefined` and null are written as zero. */
export interface ScalarCodec {
  readonly wireType: number;
  readonly zero: JsonValue;
  encode(writer: Writer, value: JsonValue | undefined): void;
  decode(reader: Reader): JsonValue;
}

const MASK = 0xffffffffn;

export const scalarCodecs: Readonly<Record<ScalarName, ScalarCodec>> = {
  string: {
    wireType: WireType.Length,
    zero: '',
    encode: (writer, value) => writer.string((value as string | null | undefined) ?? ''),
    decode: (reader) => reader.string(),
  },
  bool: {
    wireType: WireType.Varint,
    zero: false,
    encode: (writer, value) => writer.bool(value === true),
    decode: (reader) => reader.bool(),
  },
  int32: {
    wireType: WireType.Varint,
    zero: 0,
    encode: (writer, value) => writer.int32(Number(value ?? 0)),
    decode: (reader) => reader.int32(),
  },
  int64: { wireType: WireType.Varint, zero: 0, encode: writeInt64, decode: readInt64 },
  double: {
    wireType: WireType.Fixed64,
    zero: 0,
    encode: (writer, value) => writer.double(Number(value ?? 0)),
    decode: (reader) => reader.double(),
  },
  /** A text in base64 in JSON. */
  bytes: {
    wireType: WireType.Length,
    zero: '',
    encode: (writer, value) => writer.bytes(Buffer.from((value as string | null | undefined) ?? '', 'base64')),
    decode: (reader) => Buffer.from(reader.bytes()).toString('base64'),
  },
  any: {
    wireType: WireType.Length,
    zero: null,
    encode: notOnTheWire,
    decode: notOnTheWire,
  },
};

function notOnTheWire(): never {
  throw new Error('a field of any JSON value exists in JSON only');
}

/** A number with the value of its text. Beyond 2^53 this value may differ from that of the double. */
export function writeInt64(writer: Writer, value: JsonValue | undefined): void {
  const number = value instanceof JsonNumber ? Number.NaN : ((value as number | null | undefined) ?? 0);
  if (number >= 0 && number <= 0x7fffffff) {
    writer.uint32(number);
  } else if (Number.isSafeInteger(number)) {
    writer.int64(number);
  } else {
    const exact = BigInt.asUintN(64, BigInt(String(value)));
    writer.int64({ low: Number(exact & MASK), high: Number(exact >> 32n), unsigned: false } as never);
  }
}

/** An int64 in the form of the JSON parser: as text if a double would be written differently. */
export function readInt64(reader: Reader): number | JsonNumber {
  const long = reader.int64();
  if (typeof long === 'number') return long;
  const near = long.high * 2 ** 32 + (long.low >>> 0);
  if (Number.isSafeInteger(near)) return near;
  const text = long.toString();
  return String(near) === text ? near : new JsonNumber(text);
}

import type { Reader, Writer } from 'protobufjs/minimal.js';

/** The wire type of numbers and flags. */
export const VARINT = 0;
/** The wire type of values with a length: texts, bytes and messages. */
export const DELIMITED = 2;

/** The first bytes of a field: its number and its wire type. */
export function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

export function writeBytes(writer: Writer, field: number, bytes: Uint8Array): void {
  writer.uint32(tag(field, DELIMITED)).bytes(bytes);
}

/** A number that is not negative and below 2^53. Zero is the default and is left out. */
export function writeNumber(writer: Writer, field: number, value: number): void {
  if (value !== 0) writer.uint32(tag(field, VARINT)).int64(value);
}

export function writeFlag(writer: Writer, field: number, value: boolean | undefined): void {
  if (value) writer.uint32(tag(field, VARINT)).bool(true);
}

/**
 * A number that is not negative and below 2^53: a revision or a count. The function of the library would make two
 * objects for each number.
 *
 * @throws RangeError if the message ends before the number
 */
export function readNumber(reader: Reader): number {
  const { buf } = reader;
  let value = 0;
  let factor = 1;
  while (reader.pos < reader.len) {
    const byte = buf[reader.pos++]!;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
    factor *= 0x80;
  }
  throw new RangeError('a number is cut off');
}

/**
 * Calls `take` with the tag of each field of a message. `take` reads the values that it needs. The function skips the
 * others.
 */
export function eachField(reader: Reader, end: number, take: (key: number) => void): void {
  while (reader.pos < end) {
    const key = reader.uint32();
    const start = reader.pos;
    take(key);
    // Every value has at least one byte.
    if (reader.pos === start) reader.skipType(key & 7);
  }
}

import type { Reader, Writer } from 'protobufjs/minimal.js';

/** The wire type of numbers and flags. */
export const varint = 0;
/** The wire type of what has a length: texts, bytes and messages. */
export const delimited = 2;

/** What a field begins with: its number and how its value is written. */
export function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

export function writeBytes(writer: Writer, field: number, bytes: Uint8Array): void {
  writer.uint32(tag(field, delimited)).bytes(bytes);
}

/** Calls `take` with the tag of each field of a message: it reads the values it wants; the others are skipped. */
export function eachField(reader: Reader, end: number, take: (key: number) => void): void {
  while (reader.pos < end) {
    const key = reader.uint32();
    const start = reader.pos;
    take(key);
    // No value is without a byte.
    if (reader.pos === start) {
      reader.skipType(key & 7);
    }
  }
}

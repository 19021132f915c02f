import type { Reader } from 'protobufjs';

/** The layouts of a value after its tag. */
export const WireType = { Varint: 0, Fixed64: 1, Length: 2, GroupStart: 3, GroupEnd: 4, Fixed32: 5 } as const;

/** The error about bytes that are not a message of the requested type. */
export class MalformedError extends Error {}

/** The tag of a field. It is encoded before the value. */
export function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}

/** Reads the length of a value and returns the position of its end. */
export function readEnd(reader: Reader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new MalformedError('unexpected EOF');
  return end;
}

/** Throws unless the reader is exactly at the end of its value. */
export function checkEnd(reader: Reader, end: number): void {
  if (reader.pos !== end) throw new MalformedError('a value reaches beyond its message');
}

export function checkWireType(found: number, expected: number, name: string): void {
  if (found !== expected) throw new MalformedError(`wrong wireType = ${found} for field ${name}`);
}

/** Skips a field that the message does not have. Groups may contain groups to any depth. */
export function skipValue(reader: Reader, firstWireType: number): void {
  let wireType = firstWireType;
  let groups = 0;
  for (;;) {
    switch (wireType) {
      case WireType.Varint:
        reader.skip();
        break;
      case WireType.Fixed64:
        reader.skip(8);
        break;
      case WireType.Length:
        reader.skip(reader.uint32());
        break;
      case WireType.GroupStart:
        groups++;
        break;
      case WireType.GroupEnd:
        if (groups-- === 0) throw new MalformedError('unexpected end of group');
        break;
      case WireType.Fixed32:
        reader.skip(4);
        break;
      default:
        throw new MalformedError(`illegal wireType ${wireType}`);
    }
    if (groups === 0) return;
    wireType = reader.uint32() & 7;
  }
}

/** Reads the fields of a message up to its end. `field` returns false for an unknown field. */
export function readFields(reader: Reader, end: number, field: (number: number, wireType: number) => boolean): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!field(tag >>> 3, tag & 7)) skipValue(reader, tag & 7);
  }
  checkEnd(reader, end);
}

import protobuf from 'protobufjs';
import { badRequest } from '#base/errors/status-error.ts';
import { readingProtobuf } from './decode.ts';
import { checkWireType, readEnd, readFields, tagOf, WireType } from './wire.ts';

/** The prefix of every enveloped message. */
export const MAGIC: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** Content encoding and content type, both empty. */
export const TRAILER: Uint8Array = Uint8Array.of(tagOf(3, WireType.Length), 0, tagOf(4, WireType.Length), 0);

/** A message in its envelope. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The message, as a view of the bytes of the envelope. */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** The envelope up to the start of a message of `rawLength` bytes. */
export function envelopeHead(apiVersion: string, kind: string, rawLength: number): Buffer {
  const writer = protobuf.Writer.create();
  writer.uint32(tagOf(1, WireType.Length)).fork();
  writer.uint32(tagOf(1, WireType.Length)).string(apiVersion);
  writer.uint32(tagOf(2, WireType.Length)).string(kind);
  writer.ldelim().uint32(tagOf(2, WireType.Length)).uint32(rawLength);
  return Buffer.concat([MAGIC, writer.finish(true)]);
}

/** Puts a message into its envelope, after the magic bytes. */
export function wrap(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const head = envelopeHead(apiVersion, kind, raw.length);
  const bytes = Buffer.allocUnsafeSlow(head.length + raw.length + TRAILER.length);
  bytes.set(head);
  bytes.set(raw, head.length);
  bytes.set(TRAILER, head.length + raw.length);
  return bytes;
}

/** Whether bytes start like an envelope. */
export function isEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.every((byte, index) => bytes[index] === byte);
}

/**
 * Takes a message out of its envelope.
 * @throws StatusError with code 400 if it is missing or malformed
 */
export function unwrap(bytes: Uint8Array): Envelope {
  if (!isEnvelope(bytes)) throw badRequest('provided data does not appear to be a protobuf message');
  return readingProtobuf(bytes.subarray(MAGIC.length), (reader) => {
    const texts: Record<number, string> = {};
    const typeMeta: Record<number, string> = {};
    let raw: Uint8Array = new Uint8Array(0);
    readFields(reader, reader.len, (number, wireType) => {
      if (number < 1 || number > 4) return false;
      checkWireType(wireType, WireType.Length, 'Unknown');
      if (number === 1) readTexts(reader, readEnd(reader), typeMeta, 2);
      else if (number === 2) raw = reader.bytes();
      else texts[number] = reader.string();
      return true;
    });
    return {
      apiVersion: typeMeta[1] ?? '',
      kind: typeMeta[2] ?? '',
      raw,
      contentEncoding: texts[3] ?? '',
      contentType: texts[4] ?? '',
    };
  });
}

function readTexts(reader: protobuf.Reader, end: number, texts: Record<number, string>, last: number): void {
  readFields(reader, end, (number, wireType) => {
    if (number < 1 || number > last) return false;
    checkWireType(wireType, WireType.Length, 'TypeMeta');
    texts[number] = reader.string();
    return true;
  });
}

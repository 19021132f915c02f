import protobuf from 'protobufjs';
import { badRequest } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import { decodeObject } from '#schema/objects/decode.ts';
import { messageDecoder, withinBounds } from './message-decoder.ts';
import { MalformedError } from './wire.ts';

/**
 * The bytes of a message, without an envelope, as an object in the canonical JSON form of `decodeObject`. Fields that
 * the message does not have are skipped.
 * @throws StatusError with code 400 if the bytes are not such a message, or contain values that JSON cannot represent,
 * and 413 if they contain too many values
 */
export function decodeMessage(type: MessageType, bytes: Uint8Array): JsonObject {
  const value = withinBounds(() => readingProtobuf(bytes, (reader) => messageDecoder(type)(reader, reader.len, 0)));
  return decodeObject(type, value);
}

/** Reads bytes with a function whose failures are faults of the sender. They become a `StatusError` with code 400. */
export function readingProtobuf<T>(bytes: Uint8Array, read: (reader: protobuf.Reader) => T): T {
  try {
    return read(protobuf.Reader.create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  } catch (error) {
    if (isMalformed(error)) throw badRequest(`the protobuf message cannot be read: ${error.message}`);
    throw error;
  }
}

/** Whether an error is one of the reader: a RangeError beyond the end, or a plain error about a malformed number. */
function isMalformed(error: unknown): error is Error {
  if (error instanceof MalformedError || error instanceof MalformedBodyError || error instanceof RangeError)
    return true;
  return error instanceof Error && /^invalid (?:varint|tag|length) encoding$/.test(error.message);
}

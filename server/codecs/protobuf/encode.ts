import protobuf from 'protobufjs';
import type { JsonObject } from '#base/json/json-value.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import { messageEncoder } from './message-encoder.ts';

/** A writer whose buffer is larger than this, in bytes, is not kept for the next message. */
const KEPT = 1024 * 1024;

/** The writer of all messages, because encoding never waits. A message that fails also drops its writer. */
let idle: protobuf.Writer | undefined;

/**
 * The bytes of a message, without an envelope, in a new buffer. Fields are written in the order of their numbers, and
 * maps sorted by key. A value that cannot be absent is also written when it is zero.
 * @param object the canonical JSON form; fields that are absent count as zero
 */
export function encodeMessage(type: MessageType, object: JsonObject): Buffer {
  const writer = idle ?? protobuf.Writer.create();
  idle = undefined;
  messageEncoder(type)(writer, object);
  const bytes = writer.finishInto(Buffer.allocUnsafeSlow(writer.pos));
  if (writer.buf.length <= KEPT) idle = writer.reset();
  return bytes;
}

import protobuf from 'protobufjs';
import type { JsonObject } from '#base/json/json-value.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import { messageEncoder } from './message-encoder.ts';

/** Beyond this many bytes a writer's buffer is not kept for the next message. */
const KEPT = 1024 * 1024;

/** Encoding never waits, so one writer serves all messages; a message that fails takes its writer with it. */
let idle: protobuf.Writer | undefined;

/**
 * The bytes of a message, without envelope, in a new buffer. Fields are written in ascending number, maps by sorted
 * key; values without presence are written also when they are zero.
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

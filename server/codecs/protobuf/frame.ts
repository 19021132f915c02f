import protobuf from 'protobufjs';
import { tagOf, WireType } from './wire.ts';

/** The size of the length before a frame, in bytes. It is big-endian. */
const LENGTH_BYTES = 4;

/**
 * One event of a protobuf watch: the length of the event, then a WatchEvent without envelope. Its object is a raw
 * object (a message whose field 1 is the bytes), which contains the object's own envelope.
 * @param type ADDED, MODIFIED, DELETED, BOOKMARK or ERROR
 * @param object an enveloped object
 */
export function watchFrame(type: string, object: Uint8Array): Buffer {
  const writer = protobuf.Writer.create();
  writer.uint32(tagOf(1, WireType.Length)).string(type);
  writer.uint32(tagOf(2, WireType.Length)).fork();
  writer.uint32(tagOf(1, WireType.Length)).bytes(object).ldelim();
  const frame = Buffer.allocUnsafeSlow(LENGTH_BYTES + writer.pos);
  frame.writeUInt32BE(writer.pos, 0);
  return writer.finishInto(frame, LENGTH_BYTES);
}

import protobuf, { type Writer } from 'protobufjs/minimal.js';
import { eachField, tag, VARINT, writeNumber } from './protobuf-fields.ts';

/** `etcdserverpb.LeaseGrantRequest`, in which etcd chooses the id. */
export function encodeGrant(ttlSeconds: number): Writer {
  const writer = protobuf.Writer.create();
  writeNumber(writer, 1, ttlSeconds);
  return writer;
}

/**
 * The lease's id in `etcdserverpb.LeaseGrantResponse`. It has 63 bits, and is returned as a decimal number.
 *
 * @throws Error if the message has none
 */
export function decodeGrant(message: Buffer): string {
  const reader = protobuf.Reader.create(message);
  let id = 0n;
  eachField(reader, reader.len, (key) => {
    if (key === tag(2, VARINT)) {
      const { high, low } = reader.int64();
      id = (BigInt(high) << 32n) | BigInt(low >>> 0);
    }
  });
  if (id === 0n) throw new Error('an answer of etcd without a lease');
  return id.toString();
}

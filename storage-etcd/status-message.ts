import protobuf from 'protobufjs/minimal.js';
import { DELIMITED, eachField, readNumber, tag, VARINT } from './protobuf-fields.ts';

/** The status of a member: the used fields of `etcdserverpb.StatusResponse`. */
export interface MemberStatus {
  /** The version, as `3.5.21`; empty if the member does not report it. */
  readonly version: string;
  /** The size of the member's database file in bytes. */
  readonly databaseBytes: number;
  /** The member's problems in etcd's words, including alarms. */
  readonly errors: readonly string[];
}

/**
 * @throws RangeError for a message that is cut off
 */
export function decodeStatus(message: Buffer): MemberStatus {
  const reader = protobuf.Reader.create(message);
  let version = '';
  let databaseBytes = 0;
  const errors: string[] = [];
  eachField(reader, reader.len, (key) => {
    switch (key) {
      case tag(2, DELIMITED):
        version = reader.string();
        break;
      case tag(3, VARINT):
        databaseBytes = readNumber(reader);
        break;
      case tag(8, DELIMITED):
        errors.push(reader.string());
        break;
    }
  });
  return { version, databaseBytes, errors };
}

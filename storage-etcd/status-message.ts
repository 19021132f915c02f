import protobuf from 'protobufjs/minimal.js';
import { DELIMITED, eachField, readNumber, tag, VARINT } from './protobuf-fields.ts';

/** What a member reports about itself: the fields of `etcdserverpb.StatusResponse` that are used here. */
export interface MemberStatus {
  /** The version, as `3.5.21`; empty where the member does not report it. */
  readonly version: string;
  /** Bytes of the member's database file. */
  readonly databaseBytes: number;
  /** What is wrong with the member in its own words, alarms included. */
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

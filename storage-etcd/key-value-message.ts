import type { Reader } from 'protobufjs/minimal.js';
import type { Revision, Stored } from './object-store.ts';
import { delimited, readNumber, tag, varint } from './protobuf-fields.ts';

/** A `mvccpb.KeyValue`. */
export interface KeyValue extends Stored {
  readonly createRevision: Revision;
}

const nothing = Buffer.alloc(0);

export const noKeyValue: KeyValue = { key: '', value: nothing, revision: 0, createRevision: 0 };

export function storedOf({ key, value, revision }: KeyValue): Stored {
  return { key, value, revision };
}

/**
 * The value is a slice of what is read. Without `eachField`: this is done for every item and every change, and a call for
 * each of their fields costs up to a tenth of reading long lists.
 */
export function readKeyValue(reader: Reader, length: number): KeyValue {
  const end = reader.pos + length;
  let { key, value, revision, createRevision } = noKeyValue;
  while (reader.pos < end) {
    const field = reader.uint32();
    switch (field) {
      case tag(1, delimited):
        key = reader.string();
        break;
      case tag(2, varint):
        createRevision = readNumber(reader);
        break;
      case tag(3, varint):
        revision = readNumber(reader);
        break;
      case tag(5, delimited):
        value = reader.bytes() as Buffer;
        break;
      default:
        reader.skipType(field & 7);
    }
  }
  return { key, value, revision, createRevision };
}

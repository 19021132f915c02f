import protobuf, { type Reader, type Writer } from 'protobufjs/minimal.js';
import type { Change, Revision } from '#storage/object-store.ts';
import { type KeyValue, NO_KEY_VALUE, readKeyValue, storedOf } from './key-value-message.ts';
import { readHeader } from './kv-messages.ts';
import {
  DELIMITED,
  eachField,
  readNumber,
  tag,
  VARINT,
  writeBytes,
  writeFlag,
  writeNumber,
} from './protobuf-fields.ts';

/** The first request of `etcdserverpb.Watch/Watch`: a `WatchCreateRequest`. */
export interface WatchRequest {
  readonly key: Uint8Array;
  /** The end of the range; without it, the range is the key alone. */
  readonly end?: Uint8Array;
  /** The first revision whose changes are requested. */
  readonly from: Revision;
  /** Whether events contain the previous value. */
  readonly previous?: boolean;
  /** Whether large answers may come in pieces. */
  readonly fragment?: boolean;
}

/** A `WatchResponse`. */
export interface WatchAnswer {
  /**
   * The revision in the header; or 0. It is the revision of the store. Only in an answer to a progress request does it
   * say which changes have been delivered.
   */
  readonly revision: Revision;
  readonly created: boolean;
  readonly canceled: boolean;
  /** The oldest readable revision, if the watch was cancelled because of it; otherwise 0. */
  readonly compactRevision: Revision;
  readonly cancelReason: string;
  /** Whether the next answer continues this one. */
  readonly fragment: boolean;
  /** Values are slices of the message. */
  readonly changes: Change[];
}

const CREATE_REQUEST = 1;
const PROGRESS_REQUEST = 3;

/** `mvccpb.Event.EventType.DELETE`; a put is 0, the default. */
const DELETED = 1;

export function encodeWatch(request: WatchRequest): Writer {
  const writer = protobuf.Writer.create();
  writer.uint32(tag(CREATE_REQUEST, DELIMITED)).fork();
  writeBytes(writer, 1, request.key);
  if (request.end) writeBytes(writer, 2, request.end);
  writeNumber(writer, 3, request.from);
  writeFlag(writer, 6, request.previous);
  writeFlag(writer, 8, request.fragment);
  return writer.ldelim();
}

/** Requests an answer without changes. Its revision says which changes have been delivered. */
export function encodeProgress(): Writer {
  return protobuf.Writer.create().uint32(tag(PROGRESS_REQUEST, DELIMITED)).fork().ldelim();
}

/**
 * @throws RangeError for a message that is cut off
 */
export function decodeWatch(message: Buffer): WatchAnswer {
  const reader = protobuf.Reader.create(message);
  let revision = 0;
  let created = false;
  let canceled = false;
  let compactRevision = 0;
  let cancelReason = '';
  let fragment = false;
  const changes: Change[] = [];
  eachField(reader, reader.len, (key) => {
    switch (key) {
      case tag(1, DELIMITED):
        revision = readHeader(reader, reader.uint32()).revision;
        break;
      case tag(3, VARINT):
        created = reader.bool();
        break;
      case tag(4, VARINT):
        canceled = reader.bool();
        break;
      case tag(5, VARINT):
        compactRevision = readNumber(reader);
        break;
      case tag(6, DELIMITED):
        cancelReason = reader.string();
        break;
      case tag(7, VARINT):
        fragment = reader.bool();
        break;
      case tag(11, DELIMITED):
        changes.push(readEvent(reader, reader.uint32()));
        break;
    }
  });
  return { revision, created, canceled, compactRevision, cancelReason, fragment, changes };
}

/** A `mvccpb.Event`. It does not use `eachField`, for the same reason as `readKeyValue`. */
function readEvent(reader: Reader, length: number): Change {
  const end = reader.pos + length;
  let type = 0;
  let now = NO_KEY_VALUE;
  let before: KeyValue | undefined;
  while (reader.pos < end) {
    const field = reader.uint32();
    switch (field) {
      case tag(1, VARINT):
        type = reader.uint32();
        break;
      case tag(2, DELIMITED):
        now = readKeyValue(reader, reader.uint32());
        break;
      case tag(3, DELIMITED):
        before = readKeyValue(reader, reader.uint32());
        break;
      default:
        reader.skipType(field & 7);
    }
  }
  const { key, revision } = now;
  const previous = before && storedOf(before);
  // A deletion has only the key and the revision of the deletion.
  return type === DELETED
    ? { key, revision, value: undefined, createRevision: before?.createRevision ?? 0, previous }
    : { key, revision, value: now.value, createRevision: now.createRevision, previous };
}

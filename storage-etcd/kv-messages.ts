import protobuf, { type Reader, type Writer } from 'protobufjs/minimal.js';
import type { Revision, Stored } from '#storage/object-store.ts';
import { readKeyValue, storedOf } from './key-value-message.ts';
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

/** A request of `etcdserverpb.KV/Range`. */
export interface RangeRequest {
  readonly key: Uint8Array;
  /** The end of the range; without it, the range is the key alone. */
  readonly end?: Uint8Array;
  readonly limit?: number;
  readonly revision?: Revision;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

/** The header of every answer. */
export interface AnswerHeader {
  /** All 64 bits; `clusterIdOf` spells it. */
  readonly clusterId: { readonly high: number; readonly low: number };
  readonly revision: Revision;
}

export interface RangeAnswer {
  readonly header: AnswerHeader;
  readonly items: Stored[];
  /** The number of keys in the range, regardless of the limit. */
  readonly count: number;
}

/** A condition: a key was last written at this revision; 0 if it must not exist. */
export interface Compare {
  readonly key: Uint8Array;
  readonly revision: Revision;
}

export interface Put {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** A decimal number. */
  readonly lease?: string;
}

export type Operation =
  | { readonly kind: 'range'; readonly key: Uint8Array }
  | ({ readonly kind: 'put' } & Put)
  | { readonly kind: 'delete'; readonly key: Uint8Array }
  /** A put in a nested transaction; see {@link ownPut}. */
  | { readonly kind: 'nested'; readonly put: Put };

/**
 * A small put that the store itself needs for safe deletions. It must succeed even when the database has reached its
 * quota. Up to 3.6.13, etcd counts only puts at the top level of a transaction. Newer releases refuse a nested put too,
 * and then deletions work without the put.
 */
export function ownPut(put: Put): Operation {
  return { kind: 'nested', put };
}

/** A request of `etcdserverpb.KV/Txn`. */
export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export interface TxnAnswer {
  readonly header: AnswerHeader;
  readonly succeeded: boolean;
  /** The results of the operations, in order; empty for operations that read nothing. */
  readonly read: (readonly Stored[])[];
}

/** `Compare.target`: the revision of the last write. `Compare.result` keeps its default, equal. */
const COMPARE_MOD = 2;

const noHeader: AnswerHeader = { clusterId: { high: 0, low: 0 }, revision: 0 };

export function encodeRange(request: RangeRequest): Writer {
  return writeRange(protobuf.Writer.create(), request);
}

function writeRange(writer: Writer, request: RangeRequest): Writer {
  writeBytes(writer, 1, request.key);
  if (request.end) writeBytes(writer, 2, request.end);
  writeNumber(writer, 3, request.limit ?? 0);
  writeNumber(writer, 4, request.revision ?? 0);
  writeFlag(writer, 8, request.keysOnly);
  writeFlag(writer, 9, request.countOnly);
  return writer;
}

export function encodeTxn(request: TxnRequest): Writer {
  const writer = protobuf.Writer.create();
  for (const { key, revision } of request.compare) {
    writer.uint32(tag(1, DELIMITED)).fork();
    writer.uint32(tag(2, VARINT)).int32(COMPARE_MOD);
    writeBytes(writer, 3, key);
    // A member of a `oneof`, so it is written even if it is 0.
    writer.uint32(tag(6, VARINT)).int64(revision);
    writer.ldelim();
  }
  writeOperations(writer, 2, request.success);
  writeOperations(writer, 3, request.failure);
  return writer;
}

function writeOperations(writer: Writer, field: number, operations: readonly Operation[]): void {
  for (const operation of operations) {
    writer.uint32(tag(field, DELIMITED)).fork();
    switch (operation.kind) {
      case 'range':
        writer.uint32(tag(1, DELIMITED)).fork();
        writeRange(writer, operation);
        break;
      case 'put':
        writer.uint32(tag(2, DELIMITED)).fork();
        writeBytes(writer, 1, operation.key);
        writeBytes(writer, 2, operation.value);
        if (operation.lease !== undefined) writer.uint32(tag(3, VARINT)).int64(operation.lease);
        break;
      case 'delete':
        writer.uint32(tag(3, DELIMITED)).fork();
        writeBytes(writer, 1, operation.key);
        break;
      case 'nested':
        writer.uint32(tag(4, DELIMITED)).fork();
        writeOperations(writer, 2, [{ kind: 'put', ...operation.put }]);
        break;
    }
    writer.ldelim().ldelim();
  }
}

/** A request of `etcdserverpb.KV/Compact`. The answer of etcd has only a header. */
export function encodeCompact(revision: Revision): Writer {
  const writer = protobuf.Writer.create();
  writeNumber(writer, 1, revision);
  return writer;
}

/** The id of the cluster as a decimal number. Few callers need it. */
export function clusterIdOf({ clusterId: { high, low } }: AnswerHeader): string {
  return BigInt.asUintN(64, (BigInt(high) << 32n) | BigInt(low >>> 0)).toString();
}

export function decodeRange(message: Buffer): RangeAnswer {
  const reader = protobuf.Reader.create(message);
  return readRange(reader, reader.len);
}

export function decodeTxn(message: Buffer): TxnAnswer {
  const reader = protobuf.Reader.create(message);
  let header = noHeader;
  let succeeded = false;
  const read: (readonly Stored[])[] = [];
  eachField(reader, reader.len, (key) => {
    switch (key) {
      case tag(1, DELIMITED):
        header = readHeader(reader, reader.uint32());
        break;
      case tag(2, VARINT):
        succeeded = reader.bool();
        break;
      case tag(3, DELIMITED):
        read.push(readOperation(reader, reader.uint32()));
        break;
    }
  });
  return { header: present(header), succeeded, read };
}

function readOperation(reader: Reader, length: number): readonly Stored[] {
  let items: readonly Stored[] = [];
  eachField(reader, reader.pos + length, (key) => {
    if (key === tag(1, DELIMITED)) items = readItems(reader, reader.uint32()).items;
  });
  return items;
}

function readRange(reader: Reader, length: number): RangeAnswer {
  const { header, items, count } = readItems(reader, length);
  return { header: present(header), items, count };
}

/**
 * The answer to a range request. Within a transaction, its header has no revision. It does not use `eachField`, for the
 * same reason as `readKeyValue`.
 */
function readItems(reader: Reader, length: number): RangeAnswer {
  const end = reader.pos + length;
  let header = noHeader;
  let count = 0;
  const items: Stored[] = [];
  while (reader.pos < end) {
    const key = reader.uint32();
    switch (key) {
      case tag(1, DELIMITED):
        header = readHeader(reader, reader.uint32());
        break;
      case tag(2, DELIMITED):
        items.push(storedOf(readKeyValue(reader, reader.uint32())));
        break;
      case tag(4, VARINT):
        count = readNumber(reader);
        break;
      default:
        reader.skipType(key & 7);
    }
  }
  return { header, items, count };
}

/** An answer without a header is not an answer of etcd, so the caller must not use it. */
function present(header: AnswerHeader): AnswerHeader {
  if (header.revision === 0) throw new Error('an answer of etcd without a revision');
  return header;
}

/** The fields of a `ResponseHeader`, with which every answer begins. */
export function readHeader(reader: Reader, length: number): AnswerHeader {
  let { clusterId, revision } = noHeader;
  eachField(reader, reader.pos + length, (key) => {
    switch (key) {
      case tag(1, VARINT):
        clusterId = reader.uint64();
        break;
      case tag(3, VARINT):
        revision = readNumber(reader);
        break;
    }
  });
  return { clusterId, revision };
}

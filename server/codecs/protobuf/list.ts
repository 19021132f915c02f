import type { JsonObject } from '#base/json/json-value.ts';
import { sharedMessage } from '#schema/descriptors/load.ts';
import { encodeMessage } from './encode.ts';
import { envelopeHead, TRAILER } from './envelope.ts';
import { tagOf, WireType } from './wire.ts';

/** In the list messages of all kinds, field 1 is the metadata, and field 2 the items. */
const METADATA_TAG = tagOf(1, WireType.Length);
const ITEMS_TAG = tagOf(2, WireType.Length);

/** The largest size of a tag and a length, in bytes. */
const MAX_PREFIX = 6;

/**
 * An enveloped list of encoded items, in pieces. Items are not copied.
 * @param kind the list's kind, `PodList`
 * @param metadata the list's metadata in JSON form
 * @param items one message each, without envelope
 */
export function* listChunks(
  apiVersion: string,
  kind: string,
  metadata: object,
  items: readonly Uint8Array[],
): Generator<Buffer, void, undefined> {
  const listMeta = encodeMessage(sharedMessage('meta.v1.ListMeta'), metadata as JsonObject);
  let length = prefixLength(listMeta.length) + listMeta.length;
  for (const item of items) length += prefixLength(item.length) + item.length;
  const head = envelopeHead(apiVersion, kind, length);
  const prefixes = Buffer.allocUnsafeSlow(head.length + listMeta.length + (items.length + 1) * MAX_PREFIX);
  prefixes.set(head);
  let used = writePrefix(prefixes, head.length, METADATA_TAG, listMeta.length);
  prefixes.set(listMeta, used);
  used += listMeta.length;
  let start = 0;
  for (const item of items) {
    used = writePrefix(prefixes, used, ITEMS_TAG, item.length);
    yield prefixes.subarray(start, used);
    start = used;
    yield Buffer.from(item.buffer, item.byteOffset, item.length);
  }
  if (used > start) yield prefixes.subarray(start, used);
  yield Buffer.from(TRAILER);
}

/** The number of bytes of a one-byte tag and a length. */
function prefixLength(length: number): number {
  let bytes = 2;
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}

function writePrefix(bytes: Buffer, at: number, tag: number, length: number): number {
  let position = at;
  bytes[position++] = tag;
  let rest = length;
  while (rest > 127) {
    bytes[position++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[position++] = rest;
  return position;
}

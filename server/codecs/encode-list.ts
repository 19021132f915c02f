import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { stringify } from '#base/json/stringify.ts';
import { toYaml } from '#schema/yaml/write.ts';
import type { ListContent } from '../api/list-content.ts';
import { isPromise } from '../api/maybe-promise.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Reading } from '../api/stored-reading.ts';
import type { Registry } from '../resources/registry.ts';
import type { EncodedList } from './chunker.ts';
import { Chunker, isOnePiece, lendWhole } from './chunker.ts';
import { encodeObject } from './encode-object.ts';
import { encodeRows } from './encode-rows.ts';
import { mismatch } from './partial-metadata.ts';
import { listChunks as protobufListChunks } from './protobuf/list.ts';
import { protobufBody } from './protobuf-body.ts';
import { includeObject } from './table/table.ts';
import { transformList } from './transform.ts';

/** The number of items that are encoded before other requests may run. */
const BETWEEN_TURNS = 200;

function listKind({ served: { type } }: ListContent): string {
  return type.listKind ?? `${type.kind}List`;
}

/** The fixed start of lists of custom kinds. */
function listMetadata({ served, metadata }: ListContent): ListContent['metadata'] {
  return served.isCustom === true ? { continue: '', ...metadata } : metadata;
}

const COMMA = Buffer.from(',');
const END = Buffer.from(']}\n');

function jsonList(reading: Reading, content: ListContent): Omit<EncodedList, 'contentType'> {
  const { served, items } = content;
  const head = Buffer.from(
    `{"kind":${JSON.stringify(listKind(content))},"apiVersion":${JSON.stringify(served.apiVersion)},"metadata":${JSON.stringify(listMetadata(content))},"items":[`,
  );
  let length = head.length + END.length + Math.max(0, items.length - 1) * COMMA.length;
  let asStored = true;
  const ownHead = served.isCustom === true ? served.jsonHead.length - 1 : 0;
  for (const item of items) {
    length += item.body.length + ownHead;
    asStored &&= reading.asStored(item);
  }
  const chunks = jsonChunks(reading, content, head, length, asStored);
  if (!asStored) return { chunks };
  if (!isOnePiece(length)) return { chunks, length };
  return { chunks, length, whole: (room) => jsonWhole(reading, content, head, length, room) };
}

/**
 * The bytes of {@link jsonChunks} in one buffer, after `room` unused bytes. It is only for items that are sent as they
 * are stored.
 */
function jsonWhole(
  reading: Reading,
  { served, items }: ListContent,
  head: Buffer,
  length: number,
  room: number,
): Buffer {
  const whole = lendWhole(room + length);
  const put = (piece: Uint8Array): void => {
    whole.set(piece, at);
    at += piece.length;
  };
  let at = room;
  put(head);
  for (let i = 0; i < items.length; i++) {
    if (i > 0) put(COMMA);
    const body = reading.body(items[i]!);
    if (served.isCustom === true) {
      put(served.jsonHead);
      put(body.subarray(1));
    } else put(body);
  }
  put(END);
  return whole;
}

async function* jsonChunks(
  reading: Reading,
  { served, items }: ListContent,
  head: Buffer,
  expected: number,
  asStored: boolean,
): AsyncGenerator<Buffer> {
  const chunker = new Chunker(expected);
  chunker.add(head);
  // Even an empty yield costs a turn of the queue for each item, so only existing output is yielded.
  for (let i = 0; i < items.length; i++) {
    const separated = i > 0 ? chunker.add(COMMA) : undefined;
    if (separated !== undefined) yield* separated;
    const body = reading.body(items[i]!);
    // Each item of a custom kind contains its kind.
    const said = served.isCustom === true ? chunker.add(served.jsonHead) : undefined;
    if (said !== undefined) yield* said;
    const full = chunker.add(served.isCustom === true ? body.subarray(1) : body);
    if (full !== undefined) yield* full;
    if (!asStored && i % BETWEEN_TURNS === 0) await setImmediate();
  }
  const full = chunker.add(END);
  if (full !== undefined) yield* full;
  yield chunker.rest();
}

async function protobufList(
  reading: Reading,
  content: ListContent,
): Promise<Required<Pick<EncodedList, 'chunks' | 'length'>>> {
  const { served, items } = content;
  const bodies: Uint8Array[] = [];
  for (let i = 0; i < items.length; i++) {
    bodies.push(protobufBody(reading, served, items[i]!));
    if (i % BETWEEN_TURNS === BETWEEN_TURNS - 1) await setImmediate();
  }
  let length = 0;
  const pieces = [...protobufListChunks(served.apiVersion, listKind(content), content.metadata, bodies)];
  for (const piece of pieces) length += piece.length;
  return { chunks: joined(pieces, length), length };
}

async function* joined(pieces: readonly Uint8Array[], length: number): AsyncGenerator<Buffer> {
  const chunker = new Chunker(length);
  for (const piece of pieces) {
    const full = chunker.add(piece);
    if (full !== undefined) yield* full;
  }
  yield chunker.rest();
}

/** The list as a value. */
async function listObject(reading: Reading, content: ListContent): Promise<JsonObject> {
  const { served } = content;
  const items: JsonObject[] = [];
  for (let i = 0; i < content.items.length; i++) {
    const item = parseStored<JsonObject>(reading.body(content.items[i]!));
    items.push(served.isCustom === true ? { kind: served.type.kind, apiVersion: served.apiVersion, ...item } : item);
    if (i % BETWEEN_TURNS === BETWEEN_TURNS - 1) await setImmediate();
  }
  return {
    kind: listKind(content),
    apiVersion: content.served.apiVersion,
    metadata: { ...listMetadata(content) } as JsonObject,
    items,
  };
}

async function* once(make: () => Promise<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(await make());
}

/** Throws 406 if a list was requested in the form of a single object, and 400 for a malformed `includeObject`. */
export function checkListForm(served: ServedResource, { as }: Negotiated, context: RequestContext): void {
  if (as === 'PartialObjectMetadata') throw mismatch(as, 'a list', `${served.type.kind}List`);
  if (as === 'Table') includeObject(context.query);
}

/**
 * A list in the form that `as=` requests.
 *
 * @throws StatusError (406) for the form of a single object
 */
async function encodeAs(
  registry: Registry,
  reading: Reading,
  content: ListContent,
  negotiated: Negotiated,
  context: RequestContext,
): Promise<EncodedList> {
  if (negotiated.format === 'json' && !negotiated.pretty && content.items.length > 0)
    return encodeRows(registry, reading, content, negotiated, context);
  const transformed = await transformList(registry, reading, content, negotiated, context);
  const { contentType, chunks } = encodeObject(transformed, negotiated, registry.naming);
  return { contentType, chunks: Readable.from(chunks) };
}

/**
 * Encodes a list in the negotiated form and format.
 *
 * @throws StatusError (400 and 406) for an impossible form, and the errors of conversions. All of them occur before the
 * first byte is sent.
 */
export async function encodeList(
  registry: Registry,
  content: ListContent,
  negotiated: Negotiated,
  context: RequestContext,
): Promise<EncodedList> {
  if (negotiated.as !== undefined) checkListForm(content.served, negotiated, context);
  const found = content.served.reading.ready(content.items);
  const reading = isPromise(found) ? await found : found;
  if (negotiated.as !== undefined) return encodeAs(registry, reading, content, negotiated, context);
  if (negotiated.format === 'protobuf') {
    return { contentType: registry.naming.protobufMediaType, ...(await protobufList(reading, content)) };
  }
  if (negotiated.format === 'yaml') {
    const chunks = once(async () => toYaml(await listObject(reading, content)));
    return { contentType: 'application/yaml', chunks };
  }
  if (negotiated.pretty) {
    const chunks = once(async () => stringify(await listObject(reading, content), 2));
    return { contentType: 'application/json', chunks };
  }
  return { contentType: 'application/json', ...jsonList(reading, content) };
}

import { setImmediate } from 'node:timers/promises';
import type { Negotiated } from '../http/request-context.ts';
import type { Naming } from '../naming/naming.ts';
import { servedBody } from '../registry/convert.ts';
import type { ListContent } from '../registry/list-content.ts';
import type { Registry } from '../registry/registry.ts';
import type { JsonObject } from '../schema/json-value.ts';
import { stringify } from './json/stringify.ts';
import { listChunks as protobufListChunks } from './protobuf/list.ts';
import { protobufBody } from './protobuf-memo.ts';
import { toYaml } from './yaml/write.ts';

/** Items go out in chunks of about this many bytes. */
const CHUNK = 1024 * 1024;

/** How many items are encoded before other requests get a turn. */
const BETWEEN_TURNS = 200;

/** Bytes of a list as they are made, with their media type. */
export interface EncodedList {
  readonly contentType: string;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Collects small pieces into large buffers, so that a list of thousands is written in a few pieces. */
class Chunker {
  #buffer = Buffer.allocUnsafeSlow(CHUNK);
  #used = 0;

  /** Adds a piece; returns buffers that are full. */
  add(piece: Buffer): Buffer[] {
    if (this.#used + piece.length <= CHUNK) {
      this.#used += piece.copy(this.#buffer, this.#used);
      return [];
    }
    const full: Buffer[] = [];
    if (this.#used > 0) full.push(this.#take());
    if (piece.length > CHUNK) full.push(piece);
    else this.#used = piece.copy(this.#buffer, 0);
    return full;
  }

  rest(): Buffer {
    return this.#buffer.subarray(0, this.#used);
  }

  #take(): Buffer {
    const out = this.#buffer.subarray(0, this.#used);
    this.#buffer = Buffer.allocUnsafeSlow(CHUNK);
    this.#used = 0;
    return out;
  }
}

function listKind(content: ListContent): string {
  return `${content.served.type.kind}List`;
}

async function* jsonList(registry: Registry, content: ListContent): AsyncGenerator<Buffer> {
  const { served, items } = content;
  const chunker = new Chunker();
  const head = `{"kind":${JSON.stringify(listKind(content))},"apiVersion":${JSON.stringify(served.apiVersion)},"metadata":${JSON.stringify(content.metadata)},"items":[`;
  yield* chunker.add(Buffer.from(head));
  const comma = Buffer.from(',');
  for (let i = 0; i < items.length; i++) {
    if (i > 0) yield* chunker.add(comma);
    yield* chunker.add(servedBody(registry, served, items[i]!));
    if (!served.identical && i % BETWEEN_TURNS === 0) await setImmediate();
  }
  yield* chunker.add(Buffer.from(']}\n'));
  yield chunker.rest();
}

async function* protobufList(registry: Registry, content: ListContent): AsyncGenerator<Buffer> {
  const { served, items } = content;
  const bodies: Uint8Array[] = [];
  for (let i = 0; i < items.length; i++) {
    bodies.push(protobufBody(registry, served, items[i]!));
    if (i % BETWEEN_TURNS === BETWEEN_TURNS - 1) await setImmediate();
  }
  const chunker = new Chunker();
  for (const piece of protobufListChunks(served.apiVersion, listKind(content), content.metadata, bodies)) {
    yield* chunker.add(piece as Buffer);
  }
  yield chunker.rest();
}

/** The list as a value, items without `kind` and `apiVersion`. */
async function listObject(registry: Registry, content: ListContent): Promise<JsonObject> {
  const items: JsonObject[] = [];
  for (let i = 0; i < content.items.length; i++) {
    const body = servedBody(registry, content.served, content.items[i]!);
    items.push(JSON.parse(body.toString()) as JsonObject);
    if (i % BETWEEN_TURNS === BETWEEN_TURNS - 1) await setImmediate();
  }
  return {
    kind: listKind(content),
    apiVersion: content.served.apiVersion,
    metadata: { ...content.metadata } as JsonObject,
    items,
  };
}

async function* once(make: () => Promise<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(await make());
}

/** Encodes a list in the negotiated format (its `as` form is applied before). */
export function encodeList(
  registry: Registry,
  content: ListContent,
  negotiated: Negotiated,
  naming: Naming,
): EncodedList {
  if (negotiated.format === 'protobuf') {
    return { contentType: naming.protobufMediaType, chunks: protobufList(registry, content) };
  }
  if (negotiated.format === 'yaml') {
    const chunks = once(async () => toYaml(await listObject(registry, content)));
    return { contentType: 'application/yaml', chunks };
  }
  if (negotiated.pretty) {
    const chunks = once(async () => `${stringify(await listObject(registry, content), 2)}\n`);
    return { contentType: 'application/json', chunks };
  }
  return { contentType: 'application/json', chunks: jsonList(registry, content) };
}

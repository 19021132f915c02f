import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import type { Entry } from './document-parts.ts';
import { componentMembers, openapiDefinition, openapiMembers, openapiPath } from './protobuf/openapi.ts';
import { swaggerDefinition, swaggerMembers, swaggerPath } from './protobuf/swagger.ts';
import type { Contents, Field } from './protobuf/wire-fields.ts';
import { WireWriter } from './protobuf/wire-writer.ts';

export type MapName = 'paths' | 'definitions';

/** The parts of a document form around its two maps, and the maps' entries. */
export interface ProtobufForm {
  head(object: JsonObject): Uint8Array;
  tail(object: JsonObject): Uint8Array;
  entries(map: MapName, entries: readonly Entry[]): AsyncGenerator<Uint8Array>;
  /** The bytes before the entries of a map: its number and the total length of the entries, in bytes. */
  mapHead(map: MapName, length: number): Uint8Array;
}

/** The protobuf form of OpenAPI 2.0. Clients that parse a large document often ask for it instead of JSON. */
export const swaggerForm: ProtobufForm = {
  head: (object) => members(swaggerMembers, object),
  tail: (object) => members(swaggerMembers, object),
  // The vendor's own members come first in the message of paths, and only in this message.
  entries: (map, entries) =>
    map === 'paths' ? paths(2, swaggerPath, entries) : definitions(swaggerDefinition, entries),
  mapHead: (map, length) => head(map === 'paths' ? 8 : 9, length),
};

/** The protobuf form of OpenAPI 3.0. */
export const openapiForm: ProtobufForm = {
  head: (object) => members(openapiMembers, object),
  tail: (object) => members(componentMembers, object),
  entries: (map, entries) =>
    map === 'paths' ? paths(1, openapiPath, entries) : definitions(openapiDefinition, entries),
  mapHead: (map, length) => head(map === 'paths' ? 4 : 1, length),
};

/** The bytes before the components of OpenAPI 3.0, which contain its definitions. */
export function componentsHead(length: number): Uint8Array {
  return head(5, length);
}

function members(contents: Contents, object: JsonObject): Uint8Array {
  const writer = new WireWriter();
  contents(writer, object);
  return writer.finish();
}

async function* paths(number: number, path: Field, entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
  for (const [name, make] of entries) {
    const writer = new WireWriter();
    path(writer, number, [name, await make()]);
    yield writer.finish();
  }
}

async function* definitions(
  steps: (writer: WireWriter, number: number, pair: [string, JsonValue]) => Generator<void>,
  entries: readonly Entry[],
): AsyncGenerator<Uint8Array> {
  for (const [name, make] of entries) {
    const writer = new WireWriter();
    const schema = await make();
    const slice = new TimeSlice();
    for (const _ of steps(writer, 1, [name, schema])) if (slice.over) await slice.yield();
    yield writer.finish();
  }
}

function head(number: number, length: number): Uint8Array {
  return new WireWriter()
    .uint32((number << 3) | 2)
    .uint32(length)
    .finish();
}

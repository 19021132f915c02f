import { setImmediate } from 'node:timers/promises';
import { Writer } from 'protobufjs';
import type { JsonObject } from '../json/json-value.ts';
import type { DocumentParts, Entry } from './document-parts.ts';
import { componentMembers, openapiDefinition, openapiMembers, openapiPath } from './protobuf/openapi.ts';
import { swaggerDefinition, swaggerMembers, swaggerPath } from './protobuf/swagger.ts';
import type { Contents, Field } from './protobuf/wire-fields.ts';

/** Entries written before others have their turn. */
const AT_ONCE = 32;

/**
 * The protobuf form of a document of OpenAPI 3.0: what clients that parse a large document often ask for instead of JSON.
 */
export async function* protobufPieces(parts: DocumentParts): AsyncGenerator<Uint8Array> {
  yield members(openapiMembers, parts.head);
  yield* nested(4, await map(1, openapiPath, parts.paths));
  const schemas = await map(1, openapiDefinition, parts.definitions);
  const components = schemas.length === 0 ? [] : [...nested(1, schemas)];
  yield* nested(5, [...components, members(componentMembers, parts.tail)]);
}

/** Members of a document of OpenAPI 2.0 beside its two maps. */
export function swaggerMembersOf(object: JsonObject): Uint8Array {
  return members(swaggerMembers, object);
}

/** Entries of its map of paths; the vendor's own members come first in this message, and only in this one. */
export function swaggerPaths(entries: readonly Entry[]): Promise<Uint8Array[]> {
  return map(2, swaggerPath, entries);
}

/** Entries of its map of definitions. */
export function swaggerDefinitions(entries: readonly Entry[]): Promise<Uint8Array[]> {
  return map(1, swaggerDefinition, entries);
}

/** What stands before the entries of those maps: the number of the map and the length of them all, in bytes. */
export function swaggerMapHead(map: 'paths' | 'definitions', length: number): Uint8Array {
  return head(map === 'paths' ? 8 : 9, length);
}

function members(contents: Contents, object: JsonObject): Uint8Array {
  const writer = Writer.create();
  contents(writer, object);
  return writer.finish();
}

async function map(number: number, field: Field, entries: readonly Entry[]): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const writer = Writer.create();
    for (const [name, make] of entries.slice(start, start + AT_ONCE)) field(writer, number, [name, make()]);
    pieces.push(writer.finish());
    await setImmediate();
  }
  return pieces;
}

/** A message made of pieces, with its number and length in front. */
function* nested(number: number, pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  yield head(number, length);
  yield* pieces;
}

function head(number: number, length: number): Uint8Array {
  return Writer.create()
    .uint32((number << 3) | 2)
    .uint32(length)
    .finish();
}

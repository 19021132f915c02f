import { stringify } from '#base/json/stringify.ts';
import { fairTurn } from '#base/time/fair-turn.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import type { ListContent } from '../api/list-content.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Reading } from '../api/stored-reading.ts';
import type { Item } from '../cache/item.ts';
import { metadataOf } from '../cache/stored-body.ts';
import type { Registry } from '../resources/registry.ts';
import type { EncodedList } from './chunker.ts';
import { Chunker } from './chunker.ts';
import { partialMetadata } from './partial-metadata.ts';
import { columnDefinitions, type IncludeObject, includeObject, TableRows } from './table/table.ts';

/** The usual size of an item of such a list, in bytes. */
const USUAL_BYTES = 1024;

/** JSON as the pieces of which it consists. */
type Pieces = readonly Uint8Array[];

const COMMA = Buffer.from(',');
const CLOSE = Buffer.from('}');
const NULL = Buffer.from('null');
const LIST_END = Buffer.from(']}\n');

async function* join(head: string, items: readonly Item[], each: (item: Item) => Pieces): AsyncGenerator<Buffer> {
  const chunker = new Chunker(head.length + items.length * USUAL_BYTES);
  const add = function* (piece: Uint8Array): Generator<Buffer> {
    const full = chunker.add(piece);
    if (full !== undefined) yield* full;
  };
  const slice = new TimeSlice();
  yield* add(Buffer.from(head));
  for (let i = 0; i < items.length; i++) {
    if (i > 0) yield* add(COMMA);
    for (const piece of each(items[i]!)) {
      const full = chunker.add(piece);
      if (full !== undefined) yield* full;
    }
    if (slice.over) {
      await fairTurn();
      slice.begin();
    }
  }
  yield* add(LIST_END);
  yield chunker.rest();
}

/** The text before the first item: the list's own fields without the closing brace, and the name of the items. */
function head(kind: string, apiVersion: string, fields: object, items: string): string {
  return `${stringify({ kind, apiVersion, ...fields }).slice(0, -1)},${JSON.stringify(items)}:[`;
}

/** A PartialObjectMetadata of a stored object. Unchanged metadata is copied as bytes. */
function partial(reading: Reading, served: ServedResource, metaVersion: string): (item: Item) => Pieces {
  const stored = served.stored!;
  const before = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(metaVersion)},"metadata":`);
  const asStored = (stored.rules.fieldAnnotations ?? []).length === 0;
  return (item) => {
    if (asStored && reading.workingAsStored(item)) return [before, metadataOf(item.body), CLOSE];
    const object = reading.passing(item);
    return [Buffer.from(stringify(partialMetadata(metaVersion, served, object)))];
  };
}

function rowObject(
  reading: Reading,
  served: ServedResource,
  include: IncludeObject,
  metaVersion: string,
): (item: Item) => Pieces {
  if (include === 'None') return () => [NULL];
  if (include === 'Metadata') return partial(reading, served, metaVersion);
  return (item) => [served.jsonHead, reading.body(item).subarray(1)];
}

/**
 * A list as a table or as metadata, in JSON. It is made and sent item by item, so the whole list is never in memory at
 * once.
 *
 * @throws StatusError (400) for a malformed `includeObject`
 */
export function encodeRows(
  registry: Registry,
  reading: Reading,
  content: ListContent,
  negotiated: Negotiated,
  context: RequestContext,
): EncodedList {
  const { served, items, metadata } = content;
  const metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
  const contentType = 'application/json';
  if (negotiated.as !== 'Table') {
    const start = head('PartialObjectMetadataList', metaVersion, { metadata }, 'items');
    return { contentType, chunks: join(start, items, partial(reading, served, metaVersion)) };
  }
  const include = includeObject(context.query);
  const rows = new TableRows(served, include, metaVersion, registry);
  const object = rowObject(reading, served, include, metaVersion);
  const start = head('Table', metaVersion, { metadata, columnDefinitions: columnDefinitions(rows.columns) }, 'rows');
  const each = (item: Item): Pieces => {
    const shown = stringify(rows.shown(reading.passing(item)));
    return [Buffer.from(`${shown.slice(0, -1)},"object":`), ...object(item), CLOSE];
  };
  return { contentType, chunks: join(start, items, each) };
}

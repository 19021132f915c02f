import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import type { ListContent } from '../api/list-content.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { TableForm } from '../api/resource-definition.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Reading } from '../api/stored-reading.ts';
import type { Item } from '../cache/item.ts';
import type { Registry } from '../resources/registry.ts';
import { clone, toWorking } from './convert.ts';
import { mismatch, partialMetadata } from './partial-metadata.ts';
import { columnDefinitions, includeObject, TableRows } from './table/table.ts';

/** The number of items that are transformed before other requests may run. */
const BETWEEN_TURNS = 100;

function parsed(registry: Registry, reading: Reading, item: Item): JsonObject {
  if (reading.asStored(item)) return asJson(registry.cache.parsed(item));
  return parseStored(reading.body(item));
}

/** The object in the working version, from which cells are made. */
function workingForm(served: ServedResource | undefined, object: ApiObject): ApiObject {
  return served?.versionRules.toStorage === undefined ? object : toWorking(served, clone(object));
}

/** Converts a single object to the form that `as=` requests. Status objects stay unchanged. */
export function transformObject(
  registry: Registry,
  content: ObjectContent,
  negotiated: Negotiated,
  context: RequestContext,
): ObjectContent {
  if (negotiated.as === undefined || content.kind === 'Status') return content;
  if (content.listOf !== undefined) return transformBuiltList(registry, content, content.listOf, negotiated, context);
  const metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
  const stored = workingForm(content.served, asObject(content.object()));
  if (negotiated.as === 'Table') {
    const rows = tableRows(registry, content.served, negotiated, context, content.table);
    const shown = (): JsonObject => ({ ...content.object(), kind: content.kind, apiVersion: content.apiVersion });
    const metadata = { resourceVersion: stored.metadata?.resourceVersion ?? '' };
    return tableContent(metaVersion, rows, metadata, [rows.row(stored, shown)]);
  }
  if (negotiated.as === 'PartialObjectMetadataList') throw mismatch(negotiated.as, 'not a list', content.kind);
  const message = registry.schema.message('meta.v1.PartialObjectMetadata');
  const object = partialMetadata(metaVersion, content.served, stored);
  return ObjectContent.ofObject('PartialObjectMetadata', metaVersion, message, object);
}

/** Converts a list of stored objects to the form that `as=` requests. */
export async function transformList(
  registry: Registry,
  reading: Reading,
  content: ListContent,
  negotiated: Negotiated,
  context: RequestContext,
): Promise<ObjectContent> {
  const metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
  const { served, items } = content;
  const metadata = { ...content.metadata } as JsonObject;
  const each = async (make: (stored: ApiObject, item: Item) => JsonObject): Promise<JsonObject[]> => {
    const out: JsonObject[] = [];
    for (let i = 0; i < items.length; i++) {
      out.push(make(reading.object(items[i]!), items[i]!));
      if (i % BETWEEN_TURNS === BETWEEN_TURNS - 1) await setImmediate();
    }
    return out;
  };
  if (negotiated.as === 'Table') {
    const rows = tableRows(registry, served, negotiated, context);
    const made = await each((stored, item) => rows.row(stored, () => whole(served, parsed(registry, reading, item))));
    return tableContent(metaVersion, rows, metadata, made);
  }
  const made =
    negotiated.as === 'PartialObjectMetadata' ? [] : await each((s) => partialMetadata(metaVersion, served, s));
  return metadataList(registry, served, negotiated, metadata, made);
}

/** Converts a list that was not read from the store to the form that `as=` requests. */
function transformBuiltList(
  registry: Registry,
  content: ObjectContent,
  served: ServedResource,
  negotiated: Negotiated,
  context: RequestContext,
): ObjectContent {
  const metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
  const items = content.items;
  const object = (item: JsonObject) => asObject(item);
  if (negotiated.as === 'Table') {
    const rows = tableRows(registry, served, negotiated, context, content.table);
    const made = items.map((item) => rows.row(object(item), () => whole(served, item)));
    return tableContent(metaVersion, rows, {}, made);
  }
  const made = items.map((item) => partialMetadata(metaVersion, served, object(item)));
  return metadataList(registry, served, negotiated, {}, made);
}

function whole(served: ServedResource, object: JsonObject): JsonObject {
  return { kind: served.type.kind, apiVersion: served.apiVersion, ...object };
}

function tableRows(
  registry: Registry,
  served: ServedResource | undefined,
  negotiated: Negotiated,
  context: RequestContext,
  form?: TableForm,
): TableRows {
  const metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
  return new TableRows(served, includeObject(context.query), metaVersion, registry, form);
}

function tableContent(
  metaVersion: string,
  { columns }: TableRows,
  metadata: JsonObject,
  rows: JsonObject[],
): ObjectContent {
  const table = { metadata, columnDefinitions: columnDefinitions(columns), rows };
  return ObjectContent.ofObject('Table', metaVersion, undefined, table);
}

function metadataList(
  registry: Registry,
  served: ServedResource,
  negotiated: Negotiated,
  metadata: JsonObject,
  items: JsonObject[],
): ObjectContent {
  if (negotiated.as === 'PartialObjectMetadata') throw mismatch(negotiated.as, 'a list', `${served.type.kind}List`);
  const metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
  const message = registry.schema.message(`meta.${negotiated.asVersion}.PartialObjectMetadataList`);
  const list = { metadata, items: items.length === 0 ? null : items };
  return ObjectContent.ofObject('PartialObjectMetadataList', metaVersion, message, list);
}

import { setImmediate } from 'node:timers/promises';
import type { Item } from '../cache/item.ts';
import type { Negotiated, RequestContext } from '../http/request-context.ts';
import { clone, servedBody, storedObject, toStorage } from '../registry/convert.ts';
import type { ListContent } from '../registry/list-content.ts';
import { ObjectContent } from '../registry/object-content.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ApiObject } from '../schema/api-object.ts';
import type { JsonObject } from '../schema/json-value.ts';
import { parseStored } from './json/parse-stored.ts';
import { mismatch, partialMetadata, partialObject } from './partial-metadata.ts';
import { columnDefinitions, includeObject, TableRows } from './table/table.ts';

/** How many items are transformed before other requests get a turn. */
const BETWEEN_TURNS = 100;

function parsed(registry: Registry, content: ListContent, item: Item): JsonObject {
  if (content.served.identical) return registry.cache.parsed(item) as unknown as JsonObject;
  return parseStored(servedBody(registry, content.served, item));
}

/** The object as cells are made from it: in the storage version. */
function storedForm(registry: Registry, served: ServedResource | undefined, object: ApiObject): ApiObject {
  return served === undefined || served.identical ? object : toStorage(registry, served, clone(object));
}

/** Brings a single object into the form that `as=` asked for; Status objects stay as they are. */
export function transformObject(
  registry: Registry,
  content: ObjectContent,
  negotiated: Negotiated,
  context: RequestContext,
): ObjectContent {
  if (negotiated.as === undefined || content.kind === 'Status') return content;
  if (negotiated.as !== 'Table') return partialObject(content, negotiated, registry.naming, registry.schema);
  const metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
  const rows = new TableRows(content.served, includeObject(context.query), metaVersion, registry.naming, content.table);
  const object = content.object() as unknown as ApiObject;
  const shown = (): JsonObject => ({ ...content.object(), kind: content.kind, apiVersion: content.apiVersion });
  return ObjectContent.ofObject('Table', metaVersion, undefined, {
    metadata: { resourceVersion: object.metadata?.resourceVersion ?? '' },
    columnDefinitions: columnDefinitions(rows.columns),
    rows: [rows.row(storedForm(registry, content.served, object), shown)],
  });
}

/** Brings a list into the form that `as=` asked for. */
export async function transformList(
  registry: Registry,
  content: ListContent,
  negotiated: Negotiated,
  context: RequestContext,
): Promise<ObjectContent> {
  const metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
  const { served, items } = content;
  const metadata = { ...content.metadata } as JsonObject;
  const each = async (make: (item: Item) => JsonObject): Promise<JsonObject[]> => {
    const out: JsonObject[] = [];
    for (let i = 0; i < items.length; i++) {
      out.push(make(items[i]!));
      if (i % BETWEEN_TURNS === BETWEEN_TURNS - 1) await setImmediate();
    }
    return out;
  };
  if (negotiated.as === 'Table') {
    const rows = new TableRows(served, includeObject(context.query), metaVersion, registry.naming);
    const made = await each((item) =>
      rows.row(storedObject(registry, served.stored!, item, false), () => ({
        kind: served.type.kind,
        apiVersion: served.apiVersion,
        ...parsed(registry, content, item),
      })),
    );
    const object = { metadata, columnDefinitions: columnDefinitions(rows.columns), rows: made };
    return ObjectContent.ofObject('Table', metaVersion, undefined, object);
  }
  if (negotiated.as === 'PartialObjectMetadata') {
    throw mismatch('PartialObjectMetadata', 'a list', `${served.type.kind}List`);
  }
  const made = await each((item) => partialMetadata(metaVersion, parsed(registry, content, item)));
  const message = registry.schema.message('meta.v1.PartialObjectMetadataList');
  return ObjectContent.ofObject('PartialObjectMetadataList', metaVersion, message, {
    metadata,
    items: made.length === 0 ? null : made,
  });
}

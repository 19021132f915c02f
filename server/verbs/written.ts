import { parseStored } from '#base/json/parse-stored.ts';
import { stringify } from '#base/json/stringify.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Written } from '#storage/object-store.ts';
import { type MaybePromise, whenReady } from '../api/maybe-promise.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { StoredResource, StoredServedResource } from '../api/served-resource.ts';
import { passingItem } from '../cache/item.ts';
import { contentOf, toServed } from '../codecs/convert.ts';
import type { Registry } from '../resources/registry.ts';

/** How long the answer to a write waits until the cache of this replica shows it, in milliseconds. */
const OWN_WRITE_MS = 200;

type StoredAs = Pick<StoredResource, 'kind' | 'apiVersion' | 'model'>;

/**
 * The form in which an object is stored. It must not be changed. It is canonical, with kind and apiVersion first, and
 * without resourceVersion.
 */
export function storedForm(stored: StoredAs, object: ApiObject): ApiObject {
  const { kind, apiVersion, model } = stored;
  const { resourceVersion: _, ...metadata } = object.metadata;
  const written = { ...object, kind, apiVersion, metadata };
  return asObject(model.canonical(written, { shares: true }));
}

/**
 * The stored form of an object in the working version: {@link storedForm} of its conversion into the storage version.
 */
export function storedFormOf(served: StoredServedResource, object: ApiObject): MaybePromise<ApiObject> {
  return whenReady(served.reading.toStored(object), (stored) => storedForm(served.stored, stored));
}

/** The bytes of an object in its stored form. */
export function formBytes(form: ApiObject): Buffer {
  return Buffer.from(stringify(form));
}

/** The bytes in which an object is stored. */
export function storedValue(stored: StoredAs, object: ApiObject): Buffer {
  return formBytes(storedForm(stored, object));
}

/** The written object at a revision, in the form for the client. With `revision` 0, nothing was stored. */
export function writtenContent(
  served: StoredServedResource,
  value: Buffer,
  revision: number,
): MaybePromise<ObjectContent> {
  if (revision > 0) return contentOf(served, passingItem(value, revision));
  const object = served.reading.fromStored(parseStored<ApiObject>(value), served.stored.apiVersion);
  return whenReady(object, (working) =>
    ObjectContent.ofResource(served, served.model.canonical(toServed(served, working))),
  );
}

/**
 * The committed value under a key of the resource, for the answer to the client. It is taken from the cache if the
 * cache already has it.
 */
export function committedContent(
  served: StoredServedResource,
  key: string,
  { value, revision }: { readonly value: Buffer; readonly revision: number },
): MaybePromise<ObjectContent> {
  const item = served.stored.cache.get(key);
  return item?.revision === revision ? contentOf(served, item) : writtenContent(served, value, revision);
}

/**
 * Performs a write that leaves `value` under an absolute key (an empty value deletes the key). Then it waits briefly
 * until the cache of this replica has the write and has notified its watchers. So the client reads its own write here,
 * and its watches are not behind the answer.
 *
 * @throws the errors of `write`
 */
export async function ownWrite<T extends Written | { readonly outcome: 'changed' }>(
  registry: Registry,
  key: string,
  value: Buffer,
  write: () => Promise<T>,
): Promise<T> {
  const cache = registry.cache.homeOfKey(key);
  const forget = cache.expectOwn(key, value);
  try {
    const result = await write();
    if (result.outcome === 'written') await cache.delivered(result.revision, OWN_WRITE_MS);
    return result;
  } finally {
    forget();
  }
}

import { ObjectContent } from '../api/object-content.ts';
import type { Registry } from '../api/registry.ts';
import type { ServedResource, StoredResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';
import { cloneJson } from '../json/clone-json.ts';
import type { JsonObject } from '../json/json-value.ts';
import { stringify } from '../json/stringify.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { shortGroupOf, versionOf } from '../schema/api-version.ts';
import { normalize } from '../schema/normalize.ts';

const converted = new WeakMap<Item, Map<string, Buffer>>();

/** A deep copy of a JSON object. */
export const clone = cloneJson;

/** The stored object as a value in the storage version. A copy when `own`, else shared and not to be changed. */
export function storedObject(registry: Registry, stored: StoredResource, item: Item, own: boolean): ApiObject {
  const parsed = registry.cache.parsed(item) as unknown as ApiObject;
  if (item.apiVersion === stored.apiVersion) return own ? clone(parsed) : parsed;
  return inStorageVersion(registry, stored, item, clone(parsed));
}

/**
 * The stored object as a value in the storage version, shared and not to be changed: for walks over many objects, which
 * would drive those that are used often out of the cache of parsed ones.
 */
export function passingObject(registry: Registry, stored: StoredResource, item: Item): ApiObject {
  const parsed = registry.cache.parsedOnce(item) as unknown as ApiObject;
  return item.apiVersion === stored.apiVersion ? parsed : inStorageVersion(registry, stored, item, clone(parsed));
}

/** Brings an object that was stored under another version of its kind into the storage version; may change it. */
function inStorageVersion(registry: Registry, stored: StoredResource, item: Item, object: ApiObject): ApiObject {
  // stored under another version of the kind: default in that version, then convert
  const rules = stored.rules.versions?.[rulesKey(registry, stored, item.apiVersion)];
  rules?.defaults?.(object, registry);
  return rules?.toStorage?.(object, registry) ?? object;
}

/** The key of a version's rules. */
function rulesKey(registry: Registry, stored: StoredResource, apiVersion: string): string {
  const group = shortGroupOf(registry.naming, apiVersion);
  const version = versionOf(apiVersion);
  return group === stored.group ? version : `${group}/${version}`;
}

/** Brings an object of the storage version into a served version; may change and return its argument. */
export function toServed(registry: Registry, served: ServedResource, object: ApiObject): ApiObject {
  if (served.versionRules.fromStorage === undefined) return object;
  const out = served.versionRules.fromStorage(object, registry);
  return normalize(served.type.message, out as unknown as JsonObject) as unknown as ApiObject;
}

/** A stored object (storage version) in a served version. It may be the same, and is not to be changed either way. */
export function servedObject(registry: Registry, served: ServedResource, object: ApiObject): ApiObject {
  return served.identical ? object : toServed(registry, served, clone(object));
}

/** Brings an object of a served version into the storage version; may change and return its argument. */
export function toStorage(registry: Registry, served: ServedResource, object: ApiObject): ApiObject {
  return served.versionRules.toStorage?.(object, registry) ?? object;
}

/** JSON bytes of a stored object in a served version, without `kind` and `apiVersion`. Made once per revision. */
export function servedBody(registry: Registry, served: ServedResource, item: Item): Buffer {
  if (served.identical && item.apiVersion === served.stored!.apiVersion) return item.body;
  let forms = converted.get(item);
  if (forms === undefined) converted.set(item, (forms = new Map()));
  let body = forms.get(served.apiVersion);
  if (body === undefined) {
    const object = toServed(registry, served, storedObject(registry, served.stored!, item, true));
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    body = Buffer.from(stringify(rest as unknown as JsonObject));
    forms.set(served.apiVersion, body);
  }
  return body;
}

/** A stored object on its way to a client. */
export function contentOf(registry: Registry, served: ServedResource, item: Item): ObjectContent {
  return ObjectContent.ofBytes(served, servedBody(registry, served, item));
}

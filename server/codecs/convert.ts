import { cloneJson } from '#base/json/clone-json.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { type MaybePromise, whenReady } from '../api/maybe-promise.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';

/** A deep copy of a JSON object. */
export const clone = cloneJson;

/** The stored object in the working version of a resource. It is shared and must not be changed. */
export function workingObject(served: ServedResource, item: Item): MaybePromise<ApiObject> {
  return whenReady(served.reading.ready([item]), (reading) => reading.object(item));
}

/** Converts an object of the working version to the served version. It may change and return its argument. */
export function toServed(served: ServedResource, object: ApiObject): ApiObject {
  // A conversion from the working version needs no webhook, so the result is available at once.
  return served.reading.inVersion(object, served) as ApiObject;
}

/** An object of the working version in the served version. It may be the same object, so callers must not change it. */
export function servedObject(served: ServedResource, object: ApiObject): ApiObject {
  return served.versionRules.fromStorage === undefined ? object : toServed(served, clone(object));
}

/** Converts an object of the served version to the working version. It may change and return its argument. */
export function toWorking(served: ServedResource, object: ApiObject): ApiObject {
  return served.reading.fromVersion(object, served) as ApiObject;
}

/** A stored object as the content of an answer. */
export function contentOf(served: ServedResource, item: Item): MaybePromise<ObjectContent> {
  return whenReady(served.reading.ready([item]), (reading) => ObjectContent.ofBytes(served, reading.body(item)));
}

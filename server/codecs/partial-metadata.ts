import { StatusError } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { ServedResource } from '../api/served-resource.ts';

/**
 * An object's metadata as a separate object. `stored` is in the storage version. Annotations that carry fields between
 * versions do not belong to the metadata.
 */
export function partialMetadata(apiVersion: string, served: ServedResource | undefined, stored: ApiObject): JsonObject {
  const metadata = withoutFields(stored.metadata ?? {}, served?.stored?.rules.fieldAnnotations ?? []);
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: asJson(metadata) };
}

function withoutFields(metadata: ObjectMeta, hidden: readonly string[]): ObjectMeta {
  const { annotations, ...rest } = metadata;
  if (annotations === undefined || !hidden.some((key) => Object.hasOwn(annotations, key))) return metadata;
  const shown = Object.entries(annotations).filter(([key]) => !hidden.includes(key));
  return shown.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(shown) };
}

/** The error 406 about the form of a single object for a list, or the other way round. */
export function mismatch(asked: string, what: string, kind: string): StatusError {
  return new StatusError(406, 'NotAcceptable', `you requested ${asked}, but the requested object is ${what} (${kind})`);
}

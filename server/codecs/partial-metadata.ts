import { StatusError } from '../errors/status-error.ts';
import type { Negotiated } from '../http/request-context.ts';
import type { Naming } from '../naming/naming.ts';
import { ObjectContent } from '../registry/object-content.ts';
import type { JsonObject } from '../schema/json-value.ts';
import type { Schema } from '../schema/types.ts';

/** An object's metadata as an object of its own. */
export function partialMetadata(apiVersion: string, object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object['metadata'] ?? {} };
}

/** Turns an object into a PartialObjectMetadata. Throws 406 where a list form was asked for. */
export function partialObject(
  content: ObjectContent,
  negotiated: Negotiated,
  naming: Naming,
  schema: Schema,
): ObjectContent {
  if (negotiated.as === 'PartialObjectMetadataList') {
    throw mismatch('PartialObjectMetadataList', 'not a list', content.kind);
  }
  const apiVersion = naming.apiVersion('meta', negotiated.asVersion);
  const object = { metadata: content.object()['metadata'] ?? {} };
  const message = schema.message('meta.v1.PartialObjectMetadata');
  return ObjectContent.ofObject('PartialObjectMetadata', apiVersion, message, object);
}

/** The 406 of a single form for a list or the other way round. */
export function mismatch(asked: string, what: string, kind: string): StatusError {
  return new StatusError(406, 'NotAcceptable', `you requested ${asked}, but the requested object is ${what} (${kind})`);
}

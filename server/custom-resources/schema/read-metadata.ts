import type { JsonObject } from '#base/json/json-value.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import { canonicalForm } from '#schema/objects/canonical.ts';
import { decodeObject } from '#schema/objects/decode.ts';
import type { ReadMetadata } from './embedded-objects.ts';

/** Reads metadata of custom objects. It has the same form as that of all objects, and `type` is its message. */
export function createReadMetadata(type: MessageType): ReadMetadata {
  return (metadata, unknown, options): JsonObject => {
    const { form, sawUnknown } = canonicalForm(type, metadata, options);
    if (sawUnknown) decodeObject(type, metadata, { unknown });
    const object = form as JsonObject;
    if (object.creationTimestamp === null) delete object.creationTimestamp;
    return object;
  };
}

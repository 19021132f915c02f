import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { MessageType } from '../descriptors/types.ts';
import { type CanonicalOptions, canonicalForm } from './canonical.ts';

/**
 * A fresh copy of an object that code has changed, in the canonical form that `decodeObject` gives. Fields and map keys
 * are in order, zero values are written or left out as the fields say, and `undefined` counts as absent. Throws
 * `TypeMismatch`, a programming error, if a value does not fit its type.
 *
 * @example
 * normalize(loadSchema().message('meta.v1.LabelSelector'), { matchLabels: { b: '2', a: undefined } })
 * // => { matchLabels: { b: '2' } }
 */
export function normalize(type: MessageType, object: object, options?: CanonicalOptions): JsonObject {
  return canonicalForm(type, object as JsonValue, options).form as JsonObject;
}

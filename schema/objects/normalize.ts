import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { MessageType } from '../descriptors/types.ts';
import { type CanonicalOptions, canonicalForm } from './canonical.ts';

/**
 * A fresh copy of an object that code has changed, in the canonical form of `decodeObject`. Fields and map keys are in
 * order. Zero values are written or left out as the fields require. `undefined` counts as absent. If a value does not
 * fit its type, it throws `TypeMismatch`, which is a programming error.
 *
 * @example
 * normalize(loadSchema().message('meta.v1.LabelSelector'), { matchLabels: { b: '2', a: undefined } })
 * // => { matchLabels: { b: '2' } }
 */
export function normalize(type: MessageType, object: object, options?: CanonicalOptions): JsonObject {
  return canonicalForm(type, object as JsonValue, options).form as JsonObject;
}

import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { MessageType } from '../descriptors/types.ts';
import { type CanonicalOptions, canonicalForm } from './canonical.ts';

/**
 * A fresh copy of an object that code has changed, in the same canonical form that `decodeObject` gives: fields and
 * map keys in order, zero values written or left out as the fields say, `undefined` taken for absent. A value that does
 * not fit its type is a programming error and throws `TypeMismatch`.
 *
 * @example
 * normalize(loadSchema().message('meta.v1.LabelSelector'), { matchLabels: { b: '2', a: undefined } })
 * // => { matchLabels: { b: '2' } }
 */
export function normalize(type: MessageType, object: object, options?: CanonicalOptions): JsonObject {
  return canonicalForm(type, object as JsonValue, options).form as JsonObject;
}

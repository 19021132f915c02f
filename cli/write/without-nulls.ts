import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { memberShape, type Shape } from '#schema/patch/merge-shape.ts';

/**
 * A new value of an object, without its null members. Null means that a member is absent, but a server reads null in a
 * map of texts as an empty text. If the shape is unknown, null may be a value, so it remains.
 */
export function withoutNulls<T extends JsonValue>(value: T, shape: Shape): T {
  return cleaned(value, shape) as T;
}

function cleaned(value: JsonValue, shape: Shape): JsonValue {
  if (shape.form === 'unknown') return value;
  if (Array.isArray(value)) return value.map((item) => cleaned(item, shape));
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    const member = memberShape(shape, name);
    if (inner !== null || !member.known) setKey(result, name, cleaned(inner, member.shape));
  }
  return result;
}

import type { JsonObject } from '#base/json/json-value.ts';
import type { ApiObject } from './api-object.ts';

/**
 * An object of the API as a JSON object. The value is the same, but its type allows walks over JSON (decoding,
 * defaults, patch, apply). The compiler needs this, because types of API objects name their fields.
 *
 * @example fillDefaults(message, asJson(pod));
 */
export function asJson(object: object): JsonObject;
export function asJson(object: object | undefined): JsonObject | undefined;
export function asJson(object: object | undefined): JsonObject | undefined {
  return object as JsonObject | undefined;
}

/**
 * JSON as the object that it represents. The value is the same. A decoder or a model must have checked its metadata
 * before.
 *
 * @example const pod = asObject(decodeObject(message, body));
 */
export function asObject(value: object): ApiObject;
export function asObject(value: object | undefined): ApiObject | undefined;
export function asObject(value: object | undefined): ApiObject | undefined {
  return value as ApiObject | undefined;
}

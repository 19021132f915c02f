import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CelList, type CelValue, JsonMap } from './cel-value.ts';

/** A JSON value without a schema for its type. Numbers without a decimal point are integers. */
export function valueOfJson(value: JsonValue): CelValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (value instanceof JsonNumber) return /^-?\d+$/.test(value.text) ? BigInt(value.text) : Number(value.text);
  if (Array.isArray(value)) return new CelList(value, valueOfJson);
  return mapOfJson(value);
}

function mapOfJson(value: JsonObject): JsonMap {
  return new JsonMap(value, (_name, member) => valueOfJson(member));
}

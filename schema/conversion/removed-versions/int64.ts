import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { DecodeError } from '../../objects/decode.ts';
import { described } from '../../objects/type-mismatch.ts';
import { versionOf } from '../../values/api-version.ts';

/**
 * The whole number of a field, in the form of annotations. 0 if the field has no value. @throws DecodeError if the
 * value is not a whole number
 * @example int64Text(7, { apiVersion: 'policy/v1beta1', kind: 'Budget' }, 'spec.value') // => '7'
 */
export function int64Text(value: JsonValue | undefined, { apiVersion, kind }: JsonObject, path: string): string {
  const text = String(value ?? 0);
  if ((value == null || typeof value === 'number' || value instanceof JsonNumber) && /^-?\d{1,19}$/.test(text))
    return text;
  const detail = `json: cannot unmarshal ${described(value!)} into Go struct field ${String(kind)}.${path} of type int64`;
  throw new DecodeError(String(kind), versionOf(String(apiVersion)), detail);
}

/** The whole number of an annotation; undefined if it is not a whole number. */
export function textInt64(text: JsonValue | undefined): number | JsonNumber | undefined {
  if (typeof text !== 'string' || !/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : new JsonNumber(String(BigInt(text.replace('+', ''))));
}

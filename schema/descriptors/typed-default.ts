import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { toDouble, toInt32, toInt64 } from '../values/scalar.ts';
import type { ValueType } from './types.ts';

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;

/** The reason why a field cannot have a default. */
export class DefaultError extends Error {}

/**
 * A default as `proto/` writes it (`"TCP"`, `"30"`, `"true"`) as a value of the field's type.
 *
 * @throws DefaultError if the field cannot have this value, or if the field is not a single text, number or bool.
 *
 * @example typedDefault('30', int32, undefined) // 30, where int32 is the type of the field
 */
export function typedDefault(text: string, type: ValueType, words: readonly string[] | undefined): JsonValue {
  const value = parsed(text, type);
  if (value === undefined)
    throw new DefaultError(`${JSON.stringify(text)} is no value of type ${type.scalar ?? 'message'}`);
  if (words !== undefined && !words.includes(text)) {
    throw new DefaultError(`${JSON.stringify(text)} is none of ${words.join(', ')}`);
  }
  return value;
}

function parsed(text: string, { scalar }: ValueType): JsonValue | undefined {
  switch (scalar) {
    case 'string':
      return text;
    case 'bool':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'int32':
      return NUMBER.test(text) ? toInt32(Number(text)) : undefined;
    case 'int64':
      return toInt64(new JsonNumber(text));
    case 'double':
      return NUMBER.test(text) ? toDouble(Number(text)) : undefined;
    default:
      return undefined;
  }
}

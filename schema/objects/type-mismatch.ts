import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import type { MessageType, ValueType } from '../descriptors/types.ts';

/** A value that does not fit its type. Clients see the message, without the kind before it. */
export class TypeMismatch extends Error {}

/** `string`, `v1.LabelSelector`: a type as clients know it from messages. */
export function typeName(type: ValueType): string {
  if (type.message !== undefined) {
    const { name, shortName } = type.message;
    return `${name.split('.').at(-2) ?? ''}.${shortName}`;
  }
  if (type.scalar === 'bytes') return '[]uint8';
  if (type.scalar === 'double') return 'float64';
  return type.scalar === 'any' ? 'interface {}' : String(type.scalar);
}

/** `string`, `number`, `object`: a JSON value as clients know it from messages. */
export function described(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value instanceof JsonNumber ? 'number' : typeof value;
}

/**
 * A value at a path below a field's owner that is not of the expected type. `literal`: the spelling of a number is part
 * of the message.
 *
 * @example
 * mismatch(['spec', 'hostNetwork'], loadSchema().message('core.v1.Pod'), 'yes', 'bool').message
 * // => 'json: cannot unmarshal string into Go struct field Pod.spec.hostNetwork of type bool'
 */
export function mismatch(
  path: readonly string[],
  owner: MessageType | undefined,
  value: JsonValue,
  expected: string,
  literal = false,
): TypeMismatch {
  const what = described(value);
  const shown = literal && what === 'number' ? `number ${String(value)}` : what;
  const where = owner === undefined ? 'Go value' : `Go struct field ${owner.shortName}.${path.join('.')}`;
  return new TypeMismatch(`json: cannot unmarshal ${shown} into ${where} of type ${expected}`);
}

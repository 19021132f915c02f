import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import type { MessageType, ValueType } from '../descriptors/types.ts';

/** The error about a value that does not fit its type. Clients see the message, without the kind before it. */
export class TypeMismatch extends Error {}

/** A type in messages to clients, such as `string` or `v1.LabelSelector`. */
export function typeName(type: ValueType): string {
  if (type.message !== undefined) {
    const { name, shortName } = type.message;
    return `${name.split('.').at(-2) ?? ''}.${shortName}`;
  }
  if (type.scalar === 'bytes') return '[]uint8';
  if (type.scalar === 'double') return 'float64';
  return type.scalar === 'any' ? 'interface {}' : String(type.scalar);
}

/** The type of a JSON value in messages to clients, such as `string`, `number` or `object`. */
export function described(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value instanceof JsonNumber ? 'number' : typeof value;
}

/**
 * The error about a value at a path below the owner of a field. The value does not have the expected type. `literal` is
 * the spelling of a number in the message.
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

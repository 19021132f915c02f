import { loadSchema } from '#schema/descriptors/load.ts';
import type { FieldType, MessageType, ValueType } from '#schema/descriptors/types.ts';
import { orNothing, type Schema } from '../schema.ts';

type Rules = Readonly<Record<string, Schema<string>>>;

/**
 * A schema in which each name of a message is replaced by the description of the message in `proto/`.
 *
 * @throws Error if `proto/` does not have a message
 */
export function withMessages(schema: Schema<unknown>): Schema<unknown> {
  if (Array.isArray(schema)) return schema.map((part) => withMessages(part as Schema<unknown>)) as never;
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = schema['message'];
  if (typeof name === 'string') return ofMessage(loadSchema().message(name), (schema['rules'] ?? {}) as Rules);
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, withMessages(part as Schema<unknown>)]));
}

function ofMessage(message: MessageType, rules: Rules): Schema<unknown> {
  switch (message.jsonForm) {
    case 'object':
      break;
    case 'time':
    case 'micro-time':
    case 'duration':
      return { type: 'string' };
    case 'quantity':
      return { type: ['string', 'number'] };
    case 'int-or-string':
      return { type: ['string', 'integer'] };
    default:
      return {};
  }
  const properties = message.jsonFields.map((field): [string, Schema<unknown>] => {
    const schema = ofField(field, rules[`${message.shortName}.${field.name}`], rules);
    return [field.name, field.required ? schema : orNothing(schema)];
  });
  const meta: [string, Schema<unknown>][] = message.typeMeta
    ? ['kind', 'apiVersion'].map((name) => [name, orNothing({ type: 'string' })])
    : [];
  return {
    type: 'object',
    properties: Object.fromEntries([...meta, ...properties]),
    required: message.jsonFields.filter(({ required }) => required).map(({ name }) => name),
    onlyKnown: true,
  };
}

function ofField(field: FieldType, rule: Schema<string> | undefined, rules: Rules): Schema<unknown> {
  // A text that may be left out may also be empty.
  const texts = field.enum === undefined || field.required ? field.enum : [...field.enum, ''];
  const value = rule ?? ofValue(field, texts, rules);
  if (field.map) return { type: 'object', additionalProperties: value };
  return field.repeated ? { type: 'array', items: value } : value;
}

function ofValue({ scalar, message }: ValueType, values: readonly string[] | undefined, rules: Rules): Schema<unknown> {
  if (message !== undefined) return ofMessage(message, rules);
  switch (scalar) {
    case 'string':
      return { type: 'string', ...(values === undefined ? {} : { enum: values }) };
    case 'bytes':
      return { type: 'string' };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer' };
    case 'double':
      return { type: 'number' };
    default:
      return {};
  }
}

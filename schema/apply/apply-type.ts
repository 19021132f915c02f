import type { JsonObject } from '#base/json/json-value.ts';
import type { FieldType, MessageType, ScalarName, ValueType } from '../descriptors/types.ts';
import { normalize } from '../objects/normalize.ts';

/**
 * The value is owned as a whole, whatever it contains. `accepts` is the type that an applied value must have. Null is
 * always accepted.
 */
export interface LeafType {
  readonly kind: 'leaf';
  readonly accepts: 'string' | 'number' | 'boolean' | 'scalar' | 'anything';
}

/**
 * A field that identifies the items of a list, and its value for items that lack it. Undefined means that the field is
 * required.
 */
export interface ItemKey {
  readonly name: string;
  readonly default: null | boolean | number | string | undefined;
}

/**
 * A list. An atomic list is owned as a whole, a set by value, and a map item by item. `keys` (in order) identify the
 * items of a map.
 */
export interface ListApplyType {
  readonly kind: 'list';
  readonly relation: 'atomic' | 'set' | 'map';
  readonly keys: readonly ItemKey[];
  readonly item: ApplyType;
}

/**
 * An object: its declared fields, and the type of all other members. Undefined means that no other members are allowed.
 */
export interface ObjectApplyType {
  readonly kind: 'object';
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, ApplyType>;
  readonly others: ApplyType | undefined;
}

/**
 * A value without a declaration. The value itself decides: an object is owned member by member, and a list as a whole.
 */
export interface DeducedType {
  readonly kind: 'deduced';
}

/** The facts about a value's type that server-side apply needs. */
export type ApplyType = LeafType | ListApplyType | ObjectApplyType | DeducedType;

export const DEDUCED: DeducedType = { kind: 'deduced' };
export const ANYTHING: LeafType = { kind: 'leaf', accepts: 'anything' };
export const SCALAR: LeafType = { kind: 'leaf', accepts: 'scalar' };
export const STRING: LeafType = { kind: 'leaf', accepts: 'string' };
export const NUMBER: LeafType = { kind: 'leaf', accepts: 'number' };
export const BOOLEAN: LeafType = { kind: 'leaf', accepts: 'boolean' };

/** The type of an object in one version, for server-side apply. */
export interface ObjectSchema {
  readonly type: ApplyType;
  /** The object before any field is set. It has the fields that are always written, with their zero values. */
  readonly empty: JsonObject;
}

const SCALARS: Readonly<Record<ScalarName, LeafType>> = {
  string: STRING,
  bytes: STRING,
  bool: BOOLEAN,
  int32: NUMBER,
  int64: NUMBER,
  double: NUMBER,
  any: ANYTHING,
};

const types = new WeakMap<MessageType, ApplyType>();

/** The type of a message. It is made once, because a message may contain itself. */
export function applyTypeOf(message: MessageType): ApplyType {
  const known = types.get(message);
  if (known !== undefined) return known;
  switch (message.jsonForm) {
    case 'object':
      break;
    case 'quantity':
    case 'int-or-string':
      return SCALAR;
    case 'time':
    case 'micro-time':
    case 'duration':
      return STRING;
    default:
      return ANYTHING;
  }
  const fields = new Map<string, ApplyType>();
  const type: ObjectApplyType = { kind: 'object', atomic: message.mapType === 'atomic', fields, others: undefined };
  types.set(message, type);
  if (message.typeMeta) {
    fields.set('apiVersion', STRING);
    fields.set('kind', STRING);
  }
  for (const field of message.jsonFields) fields.set(field.name, fieldType(field));
  return type;
}

function fieldType(field: FieldType): ApplyType {
  const value = valueType(field);
  if (field.map) return { kind: 'object', atomic: field.mapType === 'atomic', fields: new Map(), others: value };
  if (field.repeated) return listType(field, value);
  // The field may be granular although its type is atomic, and the other way round.
  const differs = field.mapType !== undefined && value.kind === 'object';
  return differs ? { ...value, atomic: field.mapType === 'atomic' } : value;
}

function valueType(type: ValueType): ApplyType {
  return type.message === undefined ? SCALARS[type.scalar ?? 'any'] : applyTypeOf(type.message);
}

/**
 * Without a list type, the strategy `merge` decides: a list with a merge key becomes a map, and a list without one
 * becomes a set.
 */
function listType(field: FieldType, item: ApplyType): ListApplyType {
  const merged = field.patchStrategy.includes('merge');
  const relation = field.listType ?? (merged ? (field.patchMergeKey === undefined ? 'set' : 'map') : 'atomic');
  const names = field.listMapKeys ?? (field.patchMergeKey === undefined ? [] : [field.patchMergeKey]);
  const keys = relation === 'map' ? [...names].sort().map((name) => itemKey(field.message, name)) : [];
  return { kind: 'list', relation, keys, item };
}

function itemKey(message: MessageType | undefined, name: string): ItemKey {
  const value = message?.byJsonName.get(name)?.default;
  const usable = value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return { name, default: usable ? value : undefined };
}

const schemas = new WeakMap<MessageType, ObjectSchema>();

/** The schema of a built-in kind. It is made once. */
export function objectSchemaOf(message: MessageType): ObjectSchema {
  let schema = schemas.get(message);
  if (schema === undefined)
    schemas.set(message, (schema = { type: applyTypeOf(message), empty: normalize(message, {}) }));
  return schema;
}

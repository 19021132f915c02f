/** The types that expressions are checked against before any object is seen. */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly item: CelType; readonly itemSize: number }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType; readonly valueSize: number }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, CelField>; readonly least: number }
  | { readonly kind: 'type' };

export type SimpleKind =
  | 'dyn'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'url';

/** A field of an object, under the name that expressions use. */
export interface CelField {
  /** The name in the object. */
  readonly name: string;
  readonly type: CelType;
  /** The most elements, characters or bytes that the field's value may have; 1 for what has no size. */
  readonly size: number;
}

function simple(kind: SimpleKind): CelType {
  return { kind };
}

export const DYN = simple('dyn');
export const NULL = simple('null');
export const BOOL = simple('bool');
export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const TIMESTAMP = simple('timestamp');
export const DURATION = simple('duration');
export const URL_TYPE = simple('url');
export const TYPE: CelType = { kind: 'type' };

/** The size of a value of which only the size of requests is known. */
export const MAX_SIZE = 3 * 1024 * 1024;

/** A list; `itemSize` is the most characters or elements that an item has. */
export function listOf(item: CelType, itemSize = MAX_SIZE): CelType {
  return { kind: 'list', item, itemSize };
}

/** A map; `valueSize` is the most characters or elements that a value has. */
export function mapOf(key: CelType, value: CelType, valueSize = MAX_SIZE): CelType {
  return { kind: 'map', key, value, valueSize };
}

/** Whether two types may be the same: `dyn` may be any. */
export function fits(a: CelType, b: CelType): boolean {
  if (a === b || a.kind === 'dyn' || b.kind === 'dyn') return true;
  if (a.kind === 'list') return b.kind === 'list' && fits(a.item, b.item);
  if (a.kind === 'map') return b.kind === 'map' && fits(a.key, b.key) && fits(a.value, b.value);
  return a.kind === b.kind && (a.kind !== 'object' || sameFields(a, b as typeof a));
}

type ObjectType = Extract<CelType, { kind: 'object' }>;

function sameFields(a: ObjectType, b: ObjectType): boolean {
  if (a.fields.size !== b.fields.size) return false;
  return [...a.fields].every(([name, field]) => {
    const other = b.fields.get(name);
    return other !== undefined && fits(field.type, other.type);
  });
}

/** The type of either of two values: `dyn` where they differ. */
export function join(a: CelType, b: CelType): CelType {
  if (a.kind === 'dyn') return a;
  return fits(a, b) ? (b.kind === 'dyn' ? b : a) : DYN;
}

/** A type as messages name it: `list(string)`. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.item)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'timestamp':
    case 'duration':
      return `google.protobuf.${type.kind[0]!.toUpperCase()}${type.kind.slice(1)}`;
    case 'uint':
    case 'null':
      return type.kind;
    default:
      return type.kind;
  }
}

/** The types that expressions are checked against before any object is seen. */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly item: CelType; readonly itemSize: number }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType; readonly valueSize: number }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, CelField>; readonly least: number }
  | { readonly kind: 'optional'; readonly item: CelType }
  | { readonly kind: 'message'; readonly name: string }
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
  | LibraryKind;

/** The types of libraries. */
export type LibraryKind = 'url' | 'quantity' | 'ip' | 'cidr' | 'format' | 'semver' | AccessKind;

/** The types of questions about what users may do. */
export type AccessKind = 'authorizer' | 'pathCheck' | 'groupCheck' | 'resourceCheck' | 'decision';

/** A field of an object, under the name that expressions use. */
export interface CelField {
  /** The name in the object. */
  readonly name: string;
  readonly type: CelType;
  /** The largest number of elements, characters or bytes of the field's value; 1 for values without a size. */
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
export const QUANTITY = simple('quantity');
export const IP = simple('ip');
export const CIDR = simple('cidr');
export const FORMAT = simple('format');
export const SEMVER = simple('semver');
export const AUTHORIZER = simple('authorizer');
export const PATH_CHECK = simple('pathCheck');
export const GROUP_CHECK = simple('groupCheck');
export const RESOURCE_CHECK = simple('resourceCheck');
export const DECISION = simple('decision');
export const TYPE: CelType = { kind: 'type' };

/** The size of a value if only the size of requests is known. */
export const MAX_SIZE = 3 * 1024 * 1024;

/** A list. `itemSize` is the largest number of characters or elements of an item. */
export function listOf(item: CelType, itemSize = MAX_SIZE): CelType {
  return { kind: 'list', item, itemSize };
}

/** A map. `valueSize` is the largest number of characters or elements of a value. */
export function mapOf(key: CelType, value: CelType, valueSize = MAX_SIZE): CelType {
  return { kind: 'map', key, value, valueSize };
}

/** A value that may be absent. */
export function optionalOf(item: CelType): CelType {
  return { kind: 'optional', item };
}

/** The type inside an optional type; any other type itself. */
export function heldBy(type: CelType): CelType {
  return type.kind === 'optional' ? type.item : type;
}

const NULLABLE = new Set(
  'null timestamp duration url quantity ip cidr format semver object optional message'.split(' '),
);

/**
 * Whether two types may be the same. `dyn` may be any type. Objects at two places of a schema never have the same type.
 */
export function fits(a: CelType, b: CelType): boolean {
  if (a === b || a.kind === 'dyn' || b.kind === 'dyn') return true;
  if (a.kind === 'list') return b.kind === 'list' && fits(a.item, b.item);
  if (a.kind === 'map') return b.kind === 'map' && fits(a.key, b.key) && fits(a.value, b.value);
  if (a.kind === 'null' || b.kind === 'null') return NULLABLE.has(a.kind) && NULLABLE.has(b.kind);
  if (a.kind === 'optional') return b.kind === 'optional' && fits(a.item, b.item);
  if (a.kind === 'message') return b.kind === 'message' && a.name === b.name;
  return a.kind === b.kind && a.kind !== 'object';
}

/** Whether a value of this type is allowed after the earlier values in a list or map literal. */
export function fitsBeside(before: CelType, type: CelType): boolean {
  return fits(before, type) && (type.kind !== 'null' || before.kind === 'null' || before.kind === 'dyn');
}

/** The common type of two values. It is `dyn` if they differ. */
export function join(a: CelType, b: CelType): CelType {
  if (a.kind === 'dyn') return a;
  if (!fits(a, b)) return DYN;
  return b.kind === 'dyn' || a.kind === 'null' ? b : a;
}

/** The names of library types in messages and in comparisons of `type(x)`. */
export const LIBRARY_NAMES: ReadonlyMap<string, string> = new Map([
  ['url', 'URL'],
  ['quantity', 'Quantity'],
  ['ip', 'net.IP'],
  ['cidr', 'net.CIDR'],
  ['format', 'NamedFormat'],
  ['semver', 'Semver'],
  ['authorizer', 'authorization.Authorizer'],
  ['pathCheck', 'authorization.PathCheck'],
  ['groupCheck', 'authorization.GroupCheck'],
  ['resourceCheck', 'authorization.ResourceCheck'],
  ['decision', 'authorization.Decision'],
]);

/** A type in messages: `list(string)`. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.item)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'optional':
      return `optional_type(${typeText(type.item)})`;
    case 'message':
      return type.name;
    default:
      return LIBRARY_NAMES.get(type.kind) ?? type.kind;
  }
}

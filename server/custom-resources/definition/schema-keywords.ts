import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { refusedList } from '../schema/go-syntax.ts';
import { type ExtensionNames, KEYWORD_BITS, UNSUPPORTED } from '../schema/keyword-bits.ts';

const TYPES: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** The facts about the place of a schema that its rules need. */
export interface SchemaPlace {
  /** Why a default is not allowed; undefined if it is allowed. */
  readonly noDefaults?: string;
  /** Whether the schema describes metadata of an object. */
  readonly inMetadata?: boolean;
}

/** Keywords that count as given with any value, even an empty one. */
const ALWAYS_GIVEN: ReadonlySet<string> = new Set(['$ref', 'additionalItems', 'dependencies']);

/** Whether a keyword is given. In most keywords, an empty text or an empty map has no meaning. */
function isGiven(keyword: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (ALWAYS_GIVEN.has(keyword)) return true;
  return value !== '' && (typeof value !== 'object' || Array.isArray(value) || Object.keys(value).length > 0);
}

/** The keywords that {@link keywordErrors} checks, at every place. */
const LOOKED_AT = KEYWORD_BITS.unsupported | KEYWORD_BITS.items | KEYWORD_BITS.uniqueItems;
const NO_ERRORS: readonly FieldError[] = [];

/**
 * Errors of one schema's own keywords: forbidden keywords, and keywords with invalid values. `bits`: see
 * {@link keywordBits}.
 */
export function keywordErrors(
  schema: JSONSchemaProps,
  bits: number,
  path: FieldPath,
  { noDefaults, inMetadata }: SchemaPlace,
  names: ExtensionNames,
): readonly FieldError[] {
  if ((bits & LOOKED_AT) === 0 && noDefaults === undefined && inMetadata === undefined) {
    if (schema.type === undefined || TYPES.includes(schema.type)) return NO_ERRORS;
  }
  const { type = '', items } = schema;
  const errors: FieldError[] = [];
  const forbid = (keyword: string, detail: string) => void errors.push(forbiddenField(path.child(keyword), detail));
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupported(path.child('type'), type, TYPES));
  if (noDefaults !== undefined && isDefault(schema)) forbid('default', `must not be set ${noDefaults}`);
  for (const keyword of UNSUPPORTED)
    if (isGiven(keyword, schema[keyword])) forbid(keyword, `${keyword} is not supported`);
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(items)) forbid('items', 'items must be a schema object and not an array');
  if (inMetadata === true && schema[names.embedded] === true) {
    forbid(names.embedded, 'must not be used inside of resource meta');
  }
  if (schema.uniqueItems === true) {
    forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
  return errors;
}

/** Whether a schema has a keyword because of which its structure is not checked. */
export function hasUnsupportedKeyword(schema: JSONSchemaProps, { preserve }: ExtensionNames): boolean {
  return (
    UNSUPPORTED.some((keyword) => isGiven(keyword, schema[keyword])) ||
    Array.isArray(schema.items) ||
    schema[preserve] === false
  );
}

/** Whether a schema has a default. Null does not count. */
export function isDefault(schema: JSONSchemaProps): boolean {
  return schema.default !== undefined && schema.default !== null;
}

/** Errors of the extensions of one schema: list types, map types, keys of lists. */
export function extensionErrors(schema: JSONSchemaProps, path: FieldPath, names: ExtensionNames): FieldError[] {
  const errors: FieldError[] = [];
  const { type = '' } = schema;
  const { listType, mapType, listMapKeys: mapKeys, preserve } = names;
  const mustBe = (wanted: string, given: string) => {
    const detail = `must be ${wanted} if ${given} is specified`;
    errors.push(type === '' ? required(path.child('type'), detail) : invalidValue(path.child('type'), type, detail));
  };
  if (schema[preserve] === false) errors.push(invalidValue(path.child(preserve), false, 'must be true or undefined'));
  const map = schema[mapType] as string | undefined;
  if (map !== undefined && type !== 'object') mustBe('object', mapType);
  if (map !== undefined && map !== 'atomic' && map !== 'granular') {
    errors.push(notSupported(path.child(mapType), map, ['atomic', 'granular']));
  }
  const list = schema[listType] as string | undefined;
  const item = typeof schema.items === 'object' && !Array.isArray(schema.items) ? schema.items : undefined;
  if (list !== undefined && type !== 'array') mustBe('array', listType);
  else if (list === 'set' && item !== undefined) append(errors, setItemErrors(item, path.child('items'), names));
  if (list !== undefined && !['atomic', 'set', 'map'].includes(list)) {
    errors.push(notSupported(path.child(listType), list, ['atomic', 'set', 'map']));
  }
  const keys = (schema[mapKeys] as string[] | undefined) ?? [];
  if (keys.length > 0 && list !== 'map') {
    const detail = `must be map if ${mapKeys} is non-empty`;
    errors.push(
      list === undefined ? required(path.child(listType), detail) : invalidValue(path.child(listType), list, detail),
    );
  }
  if (list === 'map') append(errors, mapListErrors(schema, keys, path, { listType, mapKeys }));
  if (item !== undefined && (list === 'set' || list === 'map')) {
    if (item.nullable === true) {
      errors.push(forbiddenField(path.child('items', 'nullable'), `cannot be nullable when ${listType} is ${list}`));
    }
    if (list === 'map') append(errors, mapKeyErrors(item, keys, path.child('items', 'properties'), mapKeys));
  }
  return errors;
}

/** Errors of the items of a set, because they are compared as a whole. */
function setItemErrors(item: JSONSchemaProps, path: FieldPath, { listType, mapType }: ExtensionNames): FieldError[] {
  const name = item.type === 'array' ? listType : item.type === 'object' ? mapType : undefined;
  if (name === undefined) return [];
  const value = item[name] as string | undefined;
  if (value === 'atomic' || (item.type === 'array' && value === undefined)) return [];
  const detail = `must be atomic as item of a list with ${listType}=set`;
  // Clients know this error with the list type as its value, even for a map.
  return [invalidValue(path.child(name), item[listType] ?? 'null', detail)];
}

function mapListErrors(
  { items }: JSONSchemaProps,
  keys: readonly string[],
  path: FieldPath,
  { listType, mapKeys }: { readonly listType: string; readonly mapKeys: string },
): FieldError[] {
  const errors: FieldError[] = [];
  if (keys.length === 0) errors.push(required(path.child(mapKeys), `must not be empty if ${listType} is map`));
  if (items === undefined) {
    errors.push(required(path.child('items'), `must have a schema if ${listType} is map`));
    return errors;
  }
  if (Array.isArray(items)) {
    errors.push(invalidValue(path.child('items'), items, `must only have a single schema if ${listType} is map`));
    return errors;
  }
  if (items.type !== 'object') {
    const detail = `must be object if parent array's ${listType} is map`;
    errors.push(invalidValue(path.child('items', 'type'), items.type ?? '', detail));
    return errors;
  }
  keys.forEach((key, i) => {
    const property = ownProperty(items, key);
    if (property === undefined) {
      errors.push(refusedList(path.child(mapKeys), keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = `must be a scalar type if parent array's ${listType} is map`;
      const at = path.child('items', 'properties').key(key).child('type');
      errors.push(invalidValue(at, items.type, detail));
    }
    if (keys.indexOf(key) < i) {
      errors.push(refusedList(path.child(mapKeys), keys, 'must not contain duplicate entries'));
    }
  });
  return errors;
}

/**
 * Errors of the keys of a keyed list. Every item must have its keys, so each key must be required or have a default.
 */
function mapKeyErrors(item: JSONSchemaProps, keys: readonly string[], path: FieldPath, mapKeys: string): FieldError[] {
  return keys.flatMap((key) => {
    const property = ownProperty(item, key);
    if (property === undefined) return [];
    const errors: FieldError[] = [];
    if (item.required?.includes(key) !== true && !isDefault(property)) {
      const detail = `this property is in ${mapKeys}, so it must have a default or be a required property`;
      errors.push(required(path.key(key).child('default'), detail));
    }
    if (property.nullable === true) {
      const detail = `this property is in ${mapKeys}, so it cannot be nullable`;
      errors.push(forbiddenField(path.key(key).child('nullable'), detail));
    }
    return errors;
  });
}

function ownProperty({ properties }: JSONSchemaProps, name: string): JSONSchemaProps | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

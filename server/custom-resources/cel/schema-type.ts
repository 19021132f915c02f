import { isObject, JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import {
  BOOL,
  BYTES,
  type CelField,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  MAX_SIZE,
  mapOf,
  STRING,
  TIMESTAMP,
} from '../../expressions/cel-type.ts';
import {
  CelList,
  type CelValue,
  Duration,
  EvaluationError,
  type ItemKey,
  isMap,
  JsonMap,
  keyText,
  type Timestamp,
} from '../../expressions/cel-value.ts';
import { selectedBy } from '../../expressions/field-names.ts';
import type { Sized } from '../../expressions/sizes.ts';
import { wordedNanoseconds } from '../../expressions/texts/worded-duration.ts';
import { timestampOf } from '../../expressions/time-values.ts';
import { toInteger } from '../schema/numbers.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

/** The largest size of a request, in bytes. It limits values that the schema does not limit. */
const MAX_REQUEST = MAX_SIZE;

/** A type with the known sizes of its values. */
export interface SizedType extends Sized {
  /** The smallest number of bytes that a value takes in a request. */
  readonly least: number;
}

const META_FIELDS: readonly [string, SizedType][] = [
  ['apiVersion', text(MAX_REQUEST - 2)],
  ['kind', text(MAX_REQUEST - 2)],
  ['metadata', { type: metaType(), size: 0, least: 2 }],
];

function text(size: number): SizedType {
  return { type: STRING, size, least: 2 };
}

function metaType(): CelType {
  const field = (name: string): [string, CelField] => [name, { name, type: STRING, size: MAX_REQUEST - 2 }];
  return { kind: 'object', fields: new Map([field('name'), field('generateName')]), least: 2 };
}

const types = new WeakMap<StructuralSchema, SizedType | null>();

/**
 * The type of a schema's values. Undefined for values without enough information, which expressions cannot use. If an
 * object is a resource, it has its version, kind and names with any schema.
 */
export function typeOfSchema(schema: StructuralSchema, isResource = schema.embedded): SizedType | undefined {
  if (isResource && !schema.embedded) return makeType(schema, true);
  let known = types.get(schema);
  if (known === undefined) {
    known = makeType(schema, isResource) ?? null;
    types.set(schema, known);
  }
  return known ?? undefined;
}

function makeType(schema: StructuralSchema, isResource: boolean): SizedType | undefined {
  const { limits } = schema;
  if (schema.intOrString) return { type: DYN, size: MAX_REQUEST - 2, least: 1 };
  switch (schema.types[0]) {
    case 'array':
      return listType(schema);
    case 'object':
      return typeof schema.additional === 'object'
        ? mapType(schema, schema.additional)
        : objectType(schema, isResource);
    case 'string':
      return textType(schema.format, limits?.maxLength);
    case 'boolean':
      return { type: BOOL, size: 0, least: 4 };
    case 'number':
      return { type: DOUBLE, size: 0, least: 1 };
    case 'integer':
      return { type: INT, size: 0, least: 1 };
    default:
      return undefined;
  }
}

function listType({ items, limits }: StructuralSchema): SizedType | undefined {
  const item = items && typeOfSchema(items);
  if (item === undefined) return undefined;
  const size = Math.max(limits?.maxItems ?? Math.floor((MAX_REQUEST - 2) / (item.least + 1)), 0);
  return { type: listOf(item.type, item.size), size, least: 2 };
}

function mapType({ limits }: StructuralSchema, additional: StructuralSchema): SizedType | undefined {
  const value = typeOfSchema(additional);
  if (value === undefined) return undefined;
  const size = Math.max(limits?.maxProperties ?? Math.floor((MAX_REQUEST - 2) / (value.least + 6)), 0);
  return { type: mapOf(STRING, value.type, value.size), size, least: 2 };
}

function objectType({ properties, limits }: StructuralSchema, isResource: boolean): SizedType {
  const fields = new Map<string, CelField>();
  let least = 2;
  const add = (name: string, sized: SizedType | undefined, isRequired: boolean) => {
    if (sized === undefined) return;
    const field = { name, type: sized.type, size: sized.size };
    for (const selected of selectedBy(name)) fields.set(selected, field);
    if (isRequired) least += name.length + sized.least + 4;
  };
  for (const [name, property] of properties) {
    const isRequired = limits?.required.includes(name) === true && !property.hasDefault;
    add(name, typeOfSchema(property), isRequired);
  }
  if (isResource) for (const [name, sized] of META_FIELDS) add(name, sized, false);
  return { type: { kind: 'object', fields, least }, size: 0, least };
}

function textType(format: string, maxLength: number | undefined): SizedType {
  switch (format) {
    case 'byte':
      return { type: BYTES, size: Math.max(maxLength ?? MAX_REQUEST - 2, 0), least: 2 };
    case 'duration':
      return { type: DURATION, size: 32, least: 3 };
    case 'date':
      return { type: TIMESTAMP, size: 12, least: 12 };
    case 'date-time':
      return { type: TIMESTAMP, size: 32, least: 21 };
    default:
      return text(maxLength === undefined ? MAX_REQUEST - 2 : Math.max(maxLength, 0) * 4);
  }
}

/** A value of a schema, as expressions see it. If the value is a resource, they see its version, kind and names. */
export function fromJson(schema: StructuralSchema, value: JsonValue, isResource = schema.embedded): CelValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return textValue(schema, value);
  if (typeof value === 'number' || value instanceof JsonNumber) return numberValue(schema, value);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) throw new EvaluationError('invalid data, expected a schema of items');
    return new CelList(value, (item) => fromJson(items, item), keyOfItems(schema));
  }
  return objectValue(schema, value, isResource);
}

/** An object of a schema. Members that the schema does not name are hidden. */
function objectValue(schema: StructuralSchema, value: JsonObject, isResource: boolean): JsonMap {
  const { properties, additional } = schema;
  return new JsonMap(value, (name, member) => {
    if (isResource && META_NAMES.has(name)) return isObject(member) ? namesOf(member) : textOrNull(member);
    const property = properties.get(name) ?? (typeof additional === 'object' ? additional : undefined);
    return property === undefined ? undefined : fromJson(property, member);
  });
}

const META_NAMES = new Set(META_FIELDS.map(([name]) => name));
const SEEN_METADATA = new Set(['name', 'generateName']);

function namesOf(metadata: JsonObject): JsonMap {
  return new JsonMap(metadata, (name, member) => (SEEN_METADATA.has(name) ? textOrNull(member) : undefined));
}

function textOrNull(value: JsonValue): string | null {
  return typeof value === 'string' ? value : null;
}

/** The identity of items in sets and keyed lists. */
function keyOfItems({ listType, listMapKeys }: StructuralSchema): ItemKey | undefined {
  if (listType === 'set') return valueText;
  if (listType !== 'map') return undefined;
  return (item) =>
    listMapKeys.map((key) => valueText((item instanceof JsonMap ? item.field(key) : undefined) ?? null)).join();
}

function valueText(value: CelValue): string {
  if (value instanceof CelList) return `[${[...value].map(valueText).join()}]`;
  if (typeof value !== 'object' || value === null || !isMap(value)) return JSON.stringify(keyText(value));
  const members = value.keys().map((key) => `${keyText(key)}:${valueText(value.get(key) ?? null)}`);
  return `{${members.sort().join()}}`;
}

function textValue({ format, intOrString }: StructuralSchema, value: string): CelValue {
  if (intOrString) return value;
  switch (format) {
    case 'byte':
      return Buffer.from(value, 'base64');
    case 'duration':
      return new Duration(spanOf(value));
    case 'date':
      return momentOf(`${value}T00:00:00Z`);
    case 'date-time':
      return momentOf(value);
    default:
      return value;
  }
}

function momentOf(text: string): Timestamp {
  const moment = timestampOf(text);
  if (moment === undefined) throw new EvaluationError(`invalid data, expected a time: ${JSON.stringify(text)}`);
  return moment;
}

/** Nanoseconds of a duration in the schema's format. The format allows words (`3 days`) that the language does not. */
function spanOf(text: string): bigint {
  const nanos = wordedNanoseconds(text);
  if (nanos === undefined) throw new EvaluationError(`invalid data, expected a duration: ${JSON.stringify(text)}`);
  return nanos;
}

function numberValue({ types: [type], intOrString }: StructuralSchema, value: number | JsonNumber): CelValue {
  if (type === 'number') return Number(value);
  const integer = toInteger(value);
  if (integer !== undefined) return integer;
  return type === 'integer' || intOrString ? BigInt(Math.trunc(Number(value))) : Number(value);
}

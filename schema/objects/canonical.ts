import { compareText, sortShort } from '#base/collections/sort-short.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import type { FieldType, MessageType, ValueType } from '../descriptors/types.ts';
import { canonicalDuration } from '../values/duration.ts';
import { canonicalQuantity } from '../values/quantity.ts';
import { canonicalBase64, toDouble, toInt32, toInt64 } from '../values/scalar.ts';
import { canonicalMicroTime, canonicalTime } from '../values/time.ts';
import { ValueError } from '../values/value-error.ts';
import { leftOut, presentFields } from './present-fields.ts';
import { described, mismatch, TypeMismatch, typeName } from './type-mismatch.ts';

/** The deepest nesting of messages and free-form values. */
const MAX_DEPTH = 1000;

/** The state of one walk over an object. */
class Walk {
  /** Names of the fields on the path to the present value, for messages. */
  readonly path: string[] = [];
  depth = 0;
  /** Whether the value has a field that its message does not have. */
  sawUnknown = false;
  /** Whether empty lists and maps differ from absent ones. Objects that are never stored keep them. */
  readonly keepsEmpty: boolean;
  /** Whether the value comes from a request. */
  readonly inRequest: boolean;
  /** Whether values of any shape are used directly and not copied. */
  readonly shares: boolean;
  /** Whether an empty list or map was left out. */
  leftEmptyOut = false;
  /** Whether a quantity had another spelling. */
  respelled = false;

  constructor(keepsEmpty: boolean, { inRequest = false, shares = false }: CanonicalOptions) {
    this.keepsEmpty = keepsEmpty;
    this.inRequest = inRequest;
    this.shares = shares;
  }

  enter(): void {
    if (++this.depth > MAX_DEPTH) throw new TypeMismatch('exceeded max depth');
  }
}

/** Options for a canonical form. */
export interface CanonicalOptions {
  /**
   * Whether to keep details that only admission and field ownership need: empty lists where the stored form has null.
   */
  readonly inRequest?: boolean | undefined;
  /** Whether to use values of any shape directly, for forms that no code changes. */
  readonly shares?: boolean;
}

/** The facts about a value that its canonical form does not show. */
export interface Lost {
  /** Whether there was an empty list or map, which has the same meaning as a missing one. */
  readonly leftEmptyOut: boolean;
  /** Whether there was a quantity that did not have the canonical spelling. */
  readonly respelled: boolean;
}

/**
 * A fresh copy of an object in canonical form. Equal objects have the same canonical form. Fields are in the order of
 * `jsonFields`, and map keys are sorted. An absent or null value is written or left out as its field requires. Values
 * have their canonical spelling. Unknown fields are dropped (`sawUnknown` reports this). A required empty list is
 * `null` in objects that are stored, because protobuf loses the difference. In all other objects (lists, reviews,
 * options) it is `[]`.
 *
 * @throws TypeMismatch
 * @example
 * canonicalForm(loadSchema().message('core.v1.ConfigMap'), { data: { b: '', a: '1' }, x: 1 }).sawUnknown // => true
 */
export function canonicalForm(
  type: MessageType,
  value: JsonValue | undefined,
  options: CanonicalOptions = {},
): { form: JsonValue; sawUnknown: boolean; lost: Lost } {
  const walk = new Walk(type.resource?.storage === undefined, options);
  const form = messageForm(walk, type, value ?? {}, undefined, undefined);
  return { form, sawUnknown: walk.sawUnknown, lost: walk };
}

/** The value for null or a missing value. */
function zero(walk: Walk, type: ValueType): JsonValue {
  switch (type.scalar) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    case 'any':
      return null;
  }
  const message = type.message;
  switch (message?.jsonForm) {
    case 'object':
      return objectForm(walk, message, {});
    case 'quantity':
      return '0';
    case 'int-or-string':
      return 0;
    case 'duration':
      return '0s';
    default:
      return null;
  }
}

/** The zero value of a field that is always written. */
function zeroField(walk: Walk, field: FieldType): JsonValue {
  return field.repeated || field.map || field.pointer || field.scalar === 'bytes' ? null : zero(walk, field);
}

function objectForm(walk: Walk, type: MessageType, value: JsonObject): JsonObject {
  walk.enter();
  const form: JsonObject = {};
  let known = 0;
  if (type.typeMeta) known += typeMeta(form, value);
  for (const position of presentFields(type, value)) {
    const field = type.jsonFields[position]!;
    const given = value[field.name];
    if (given !== undefined) known++;
    let result: JsonValue | undefined;
    if (given !== undefined && given !== null) {
      walk.path.push(field.name);
      result = fieldForm(walk, type, field, given);
      walk.path.pop();
    }
    if (result !== undefined) form[field.name] = result;
    else if (!leftOut(field)) form[field.name] = zeroField(walk, field);
  }
  for (const _ in value) known--;
  if (known < 0) walk.sawUnknown = true;
  walk.depth--;
  return form;
}

/** Copies `kind` and `apiVersion`. Returns how many of them the value has. */
function typeMeta(form: JsonObject, value: JsonObject): number {
  let known = 0;
  for (const name of ['kind', 'apiVersion'] as const) {
    const given = value[name];
    if (given === undefined) continue;
    known++;
    if (given === null || given === '') continue;
    if (typeof given !== 'string') {
      throw new TypeMismatch(`json: cannot unmarshal ${described(given)} into Go struct field .${name} of type string`);
    }
    form[name] = given;
  }
  return known;
}

/** The form of a value that is not null; undefined if the value counts as absent. */
function fieldForm(walk: Walk, owner: MessageType, field: FieldType, value: JsonValue): JsonValue | undefined {
  if (field.repeated) {
    const list = listForm(walk, owner, field, value);
    return given(walk, field, list, list.length);
  }
  if (field.map) {
    const map: JsonObject = {};
    return given(walk, field, map, mapForm(walk, owner, field, value, map));
  }
  const form = valueForm(walk, owner, field, value);
  if (form === null && !isFreeForm(field)) return undefined;
  const droppable = field.omitempty && !field.pointer && field.message === undefined;
  return droppable && (form === '' || form === 0 || form === false) ? undefined : form;
}

/** The list or map of a field; undefined if it is empty and this has the same meaning as missing. */
function given<T extends JsonValue[] | JsonObject>(
  walk: Walk,
  field: FieldType,
  form: T,
  length: number,
): T | undefined {
  if (field.emptyDiffers || (walk.inRequest && field.emptyInRequests) || (walk.keepsEmpty && !field.omitempty)) {
    return form;
  }
  if (length > 0) return form;
  walk.leftEmptyOut = true;
  return walk.inRequest && !field.omitempty ? form : undefined;
}

function isFreeForm(type: ValueType): boolean {
  return type.scalar === 'any' || type.message?.jsonForm === 'any';
}

function listForm(walk: Walk, owner: MessageType, field: FieldType, value: JsonValue): JsonValue[] {
  if (!Array.isArray(value)) throw mismatch(walk.path, owner, value, `[]${typeName(field)}`);
  const list: JsonValue[] = [];
  for (const item of value) list.push(item === null ? zero(walk, field) : valueForm(walk, owner, field, item));
  return list;
}

/** Puts the members of a map into `map`. Returns their number, because counting them later costs a walk. */
function mapForm(walk: Walk, owner: MessageType, field: FieldType, value: JsonValue, map: JsonObject): number {
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof JsonNumber) {
    const quantities = field.message?.jsonForm === 'quantity';
    throw mismatch(walk.path, owner, value, quantities ? 'v1.ResourceList' : `map[string]${typeName(field)}`);
  }
  const keys = sortShort(Object.keys(value as JsonObject), compareText);
  let length = 0;
  for (const key of keys) {
    const item = (value as JsonObject)[key];
    if (item === undefined) continue;
    setKey(map, key, item === null ? zero(walk, field) : valueForm(walk, owner, field, item));
    length++;
  }
  return length;
}

function valueForm(walk: Walk, owner: MessageType | undefined, type: ValueType, value: JsonValue): JsonValue {
  if (type.message !== undefined) return messageForm(walk, type.message, value, owner, type);
  switch (type.scalar) {
    case 'string':
      if (typeof value === 'string') return value;
      break;
    case 'bool':
      if (typeof value === 'boolean') return value;
      break;
    case 'int32': {
      const number = toInt32(value);
      if (number !== undefined) return number;
      throw mismatch(walk.path, owner, value, 'int32', true);
    }
    case 'int64': {
      const number = toInt64(value);
      if (number !== undefined) return number;
      throw mismatch(walk.path, owner, value, 'int64', true);
    }
    case 'double': {
      const number = toDouble(value);
      if (number !== undefined) return number;
      throw mismatch(walk.path, owner, value, 'float64', true);
    }
    case 'bytes':
      if (typeof value === 'string') return checked(canonicalBase64, value);
      if (Array.isArray(value)) return fromByteList(walk, owner, value);
      break;
    default:
      return copy(walk, value);
  }
  throw mismatch(walk.path, owner, value, typeName(type));
}

/** The bytes of a value that a client wrote as a list of numbers. */
function fromByteList(walk: Walk, owner: MessageType | undefined, list: readonly JsonValue[]): string {
  const bytes = list.map((item) => {
    const byte = item === null ? 0 : toInt32(item);
    if (byte === undefined || byte < 0 || byte > 255) throw mismatch(walk.path, owner, item, 'uint8', true);
    return byte;
  });
  return Buffer.from(bytes).toString('base64');
}

function messageForm(
  walk: Walk,
  message: MessageType,
  value: JsonValue,
  owner: MessageType | undefined,
  type: ValueType | undefined,
): JsonValue {
  switch (message.jsonForm) {
    case 'object':
      if (isPlainObject(value)) return objectForm(walk, message, value);
      throw mismatch(walk.path, owner, value, typeName(type ?? { message }));
    case 'quantity': {
      // An object that a client sent may have a member `toString`.
      const given = value instanceof JsonNumber ? value : typeof value === 'object' ? '{}' : String(value);
      const spelled = checked(canonicalQuantity, given);
      if (spelled !== String(given)) walk.respelled = true;
      return spelled;
    }
    case 'int-or-string': {
      if (typeof value === 'string') return value;
      const number = toInt32(value);
      if (number !== undefined) return number;
      throw mismatch(walk.path, owner, value, 'int32', true);
    }
    case 'time':
      return checked(canonicalTime, text(walk, owner, value));
    case 'micro-time':
      return checked(canonicalMicroTime, text(walk, owner, value));
    case 'duration':
      return checked(canonicalDuration, text(walk, owner, value));
    case 'items':
      return itemsForm(walk, message, value, owner);
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-strings':
      return unionForm(walk, message, value);
    default:
      return copy(walk, value);
  }
}

/** A list that is a separate message on the wire. */
function itemsForm(walk: Walk, message: MessageType, value: JsonValue, owner: MessageType | undefined): JsonValue {
  const items = message.fields[0];
  if (items === undefined) throw new Error(`${message.name} has no items`);
  if (!Array.isArray(value)) throw mismatch(walk.path, owner, value, typeName({ message }));
  const list = listForm(walk, owner ?? message, items, value);
  return list.length > 0 || walk.keepsEmpty ? list : null;
}

/** A schema, or a list of schemas, a bool or a list of texts. */
function unionForm(walk: Walk, message: MessageType, value: JsonValue): JsonValue {
  const schema = message.fields.find((field) => field.message !== undefined && !field.repeated)?.message;
  if (schema !== undefined && isPlainObject(value)) return objectForm(walk, schema, value);
  if (message.jsonForm === 'schema-or-bool') {
    if (typeof value === 'boolean') return value;
    throw new TypeMismatch('boolean or JSON schema expected');
  }
  const list = message.fields.find((field) => field.repeated);
  if (message.jsonForm === 'schema-or-array') {
    // A value that is neither an object nor a list is left out, and so is an empty list.
    return list !== undefined && Array.isArray(value) && value.length > 0 ? listForm(walk, message, list, value) : null;
  }
  if (list !== undefined && Array.isArray(value)) return listForm(walk, message, list, value);
  throw new TypeMismatch('JSON schema or string array expected');
}

function text(walk: Walk, owner: MessageType | undefined, value: JsonValue): string {
  if (typeof value === 'string') return value;
  throw mismatch(walk.path, owner, value, 'string');
}

function checked<I, O>(canonical: (input: I) => O, input: I): O {
  try {
    return canonical(input);
  } catch (error) {
    throw error instanceof ValueError ? new TypeMismatch(error.message) : error;
  }
}

/** A deep copy of a value of any shape, with the keys in their order. */
function copy(walk: Walk, value: JsonValue): JsonValue {
  if (walk.shares || typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  walk.enter();
  let result: JsonValue;
  if (Array.isArray(value)) {
    result = value.map((item) => copy(walk, item));
  } else {
    result = {};
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item !== undefined) setKey(result, key, copy(walk, item));
    }
  }
  walk.depth--;
  return result;
}

function isPlainObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

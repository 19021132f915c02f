import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { LIBRARY_NAMES, type LibraryKind } from './cel-type.ts';

/** A value at run time. Integers of 64 bits are bigints, and doubles are numbers. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Unsigned
  | Timestamp
  | Duration
  | CelList
  | CelMap
  | Message
  | TypeValue
  | OptionalValue
  | LibraryValue;

/** The error of an evaluation, such as `no such key: x`. */
export class EvaluationError extends Error {}

/** An unsigned integer of 64 bits. */
export class Unsigned {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A moment, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  /** Minutes east of Greenwich, which only the text of the moment shows. */
  readonly offset: number;

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A time span in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A value of a library type. */
export abstract class LibraryValue {
  abstract readonly kind: LibraryKind;
  /** Whether another value of the same type is equal. */
  abstract equals(other: LibraryValue): boolean;
}

/** A value that may be absent. */
export class OptionalValue {
  static readonly none = new OptionalValue(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }

  /** An optional with a value, or `none`. */
  static of(value: CelValue | undefined): OptionalValue {
    return value === undefined ? OptionalValue.none : new OptionalValue(value);
  }
}

/** The result of `type(x)`. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Reads a JSON value of a schema as a value of the expression language. */
export type FromJson = (value: JsonValue) => CelValue;

/** The identity of items, for lists that are sets or maps in their schema. */
export type ItemKey = (item: CelValue) => string;

/** A list. Its items are computed, or they are those of an object, which are read when they are needed. */
export class CelList implements Iterable<CelValue> {
  readonly length: number;
  /** Whether the expression made the items. */
  readonly isMade: boolean;
  /** For sets and maps. The order of items does not count, and of each key one item is kept. */
  readonly keyOf: ItemKey | undefined;
  readonly #items: readonly unknown[];
  readonly #fromJson: FromJson | undefined;

  constructor(items: readonly unknown[], fromJson?: FromJson, keyOf?: ItemKey) {
    this.#items = items;
    this.#fromJson = fromJson;
    this.isMade = fromJson === undefined;
    this.keyOf = keyOf;
    this.length = items.length;
  }

  at(index: number): CelValue {
    const item = this.#items[index];
    return this.#fromJson === undefined ? (item as CelValue) : this.#fromJson(item as JsonValue);
  }

  *[Symbol.iterator](): Generator<CelValue> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  /**
   * This list followed by the items of another one. In sets and keyed lists, an item of the other list replaces the
   * item with the same key.
   */
  plus(other: CelList): CelList {
    if (this.keyOf === undefined) return new CelList([...this, ...other]);
    return new CelList([...byKey([...this, ...other], this.keyOf).values()], undefined, this.keyOf);
  }
}

function byKey(items: Iterable<CelValue>, keyOf: ItemKey): Map<string, CelValue> {
  const found = new Map<string, CelValue>();
  for (const item of items) found.set(keyOf(item), item);
  return found;
}

/** A map or an object. A map that the expression made may have keys that are not texts. */
export interface CelMap {
  readonly isMap: true;
  /** Whether an expression made it. If so, it may contain values that JSON does not have. */
  readonly isMade?: boolean;
  readonly size: number;
  get(key: CelValue): CelValue | undefined;
  keys(): readonly CelValue[];
}

/** The names of an object's members that are not null, by object. */
const namesOf = new WeakMap<JsonObject, readonly string[]>();

/** Members of an object of the request. Null counts as absent. */
export class JsonMap implements CelMap {
  readonly isMap = true;
  readonly #object: JsonObject;
  readonly #fromJson: (key: string, value: JsonValue) => CelValue | undefined;

  /** @param fromJson returns undefined for members that are hidden from rules */
  constructor(object: JsonObject, fromJson: (key: string, value: JsonValue) => CelValue | undefined) {
    this.#object = object;
    this.#fromJson = fromJson;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') throw new EvaluationError('no such overload');
    return this.field(key);
  }

  /** The value of a field; undefined if it is absent or null. */
  field(name: string): CelValue | undefined {
    if (!Object.hasOwn(this.#object, name)) return undefined;
    const value = this.#object[name]!;
    return value === null ? undefined : this.#fromJson(name, value);
  }

  keys(): readonly string[] {
    let names = namesOf.get(this.#object);
    if (names === undefined) {
      names = Object.keys(this.#object).filter((name) => this.#object[name] !== null);
      namesOf.set(this.#object, names);
    }
    return names;
  }
}

/** A map that an expression makes. */
export class MadeMap implements CelMap {
  readonly isMap = true;
  readonly isMade = true;
  readonly #entries: ReadonlyMap<string, readonly [CelValue, CelValue]>;

  constructor(entries: readonly (readonly [CelValue, CelValue])[]) {
    this.#entries = new Map(entries.map((entry) => [keyText(entry[0]), entry]));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }

  keys(): CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
  }
}

/** A message that an expression makes: its fields by their names. */
export class Message implements CelMap {
  readonly isMap = true;
  readonly typeName: string;
  readonly #fields: ReadonlyMap<string, CelValue>;

  constructor(typeName: string, fields: ReadonlyMap<string, CelValue>) {
    this.typeName = typeName;
    this.#fields = fields;
  }

  get size(): number {
    return this.#fields.size;
  }

  get(name: CelValue): CelValue | undefined {
    return this.#fields.get(name as string);
  }

  keys(): readonly string[] {
    return [...this.#fields.keys()];
  }
}

/** The text of a key. Two keys are equal if their texts are. */
export function keyText(key: CelValue): string {
  if (typeof key === 'string') return `"${key}`;
  const number = numeric(key);
  return number === undefined ? `${typeNameOf(key)} ${String(key)}` : String(number);
}

export function isMap(value: CelValue): value is CelMap {
  return typeof value === 'object' && value !== null && 'isMap' in value;
}

/** The number of elements, characters or bytes of a value; 1 for values without a size. */
export function sizeOf(value: CelValue): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof CelList || value instanceof Uint8Array) return value.length;
  return typeof value === 'object' && value !== null && isMap(value) ? value.size : 1;
}

/** Whether two values are equal. Values of different types are not. */
export function equal(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return looselyEqual(a, b);
  if (a instanceof CelList) return b instanceof CelList && sameItems(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Unsigned) return b instanceof Unsigned && a.value === b.value;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof LibraryValue) return b instanceof LibraryValue && a.kind === b.kind && a.equals(b);
  if (a instanceof OptionalValue) return b instanceof OptionalValue && sameHeld(a.value, b.value);
  if (a instanceof Message || b instanceof Message) {
    return a instanceof Message && b instanceof Message && a.typeName === b.typeName && sameMembers(a, b);
  }
  return isMap(b) && sameMembers(a, b);
}

function sameHeld(a: CelValue | undefined, b: CelValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equal(a, b);
}

/** Whether two numbers are equal. Numbers of different types are equal if their values are. */
function looselyEqual(a: CelValue, b: CelValue): boolean {
  const [left, right] = [numeric(a), numeric(b)];
  // biome-ignore lint/suspicious/noDoubleEquals: compares integers and doubles exactly
  return left !== undefined && right !== undefined && left == right;
}

/** The number in a value; undefined for values of other types. */
export function numeric(value: CelValue): number | bigint | undefined {
  if (value instanceof Unsigned) return value.value;
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}

function sameItems(a: CelList, b: CelList): boolean {
  if (a.length !== b.length) return false;
  const { keyOf } = a;
  if (keyOf !== undefined) {
    const mine = byKey(a, keyOf);
    return [...b].every((item) => {
      const same = mine.get(keyOf(item));
      return same !== undefined && equal(same, item);
    });
  }
  for (let i = 0; i < a.length; i++) if (!equal(a.at(i), b.at(i))) return false;
  return true;
}

function sameMembers(a: CelMap, b: CelMap): boolean {
  const keys = a.keys();
  if (keys.length !== b.keys().length) return false;
  return keys.every((key) => {
    const [left, right] = [a.get(key), b.get(key)];
    return left !== undefined && right !== undefined && equal(left, right);
  });
}

/** The order of two values of one type: negative, zero or positive. Undefined if they have no order. */
export function compare(a: CelValue, b: CelValue): number | undefined {
  const [left, right] = [ordinal(a), ordinal(b)];
  if (left === undefined || right === undefined) return undefined;
  if (typeof left === 'string' || typeof right === 'string') {
    if (typeof left !== 'string' || typeof right !== 'string') return undefined;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  // biome-ignore lint/suspicious/noDoubleEquals: compares integers and doubles exactly
  return left < right ? -1 : left == right ? 0 : 1;
}

function ordinal(value: CelValue): bigint | number | string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Timestamp || value instanceof Duration) return value.nanos;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return numeric(value);
}

/** The name of a value's type. */
export function typeNameOf(value: CelValue): string {
  if (value === null) return 'null_type';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Unsigned) return 'uint';
  if (value instanceof CelList) return 'list';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof OptionalValue) return 'optional_type';
  if (value instanceof Message) return value.typeName;
  return value instanceof LibraryValue ? (LIBRARY_NAMES.get(value.kind) ?? value.kind) : 'map';
}

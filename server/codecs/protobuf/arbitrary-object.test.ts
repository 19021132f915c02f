import fc from 'fast-check';
import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType, ValueType } from '#schema/descriptors/types.ts';
import { normalize } from '#schema/objects/normalize.ts';

/** The depth below which messages stay empty, because some messages contain themselves. */
const DEEPEST = 6;

const texts = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constant(''));
const dates = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
const freeForm = fc.object({ maxDepth: 2, maxKeys: 3, values: [fc.integer(), texts, fc.boolean(), fc.constant(null)] });

/**
 * Objects of a message in canonical JSON form, without kind and apiVersion. Lists and maps are absent or have members,
 * because the wire form has no empty ones.
 */
export function arbitraryObject(type: MessageType): fc.Arbitrary<JsonObject> {
  return message(type, 0).map((value) => normalize(type, value as JsonObject));
}

function message(type: MessageType, depth: number): fc.Arbitrary<JsonValue> {
  switch (type.jsonForm) {
    case 'object':
      return object(type, depth);
    case 'quantity':
      return fc.constantFrom('0', '1', '100m', '1536Mi', '12e6', '0005', '-1');
    case 'int-or-string':
      return fc.oneof(fc.integer(), texts);
    case 'time':
      return fc.oneof(
        dates.map((date) => `${date.toISOString().slice(0, 19)}Z`),
        fc.constant(null),
      );
    case 'micro-time':
      return fc.oneof(
        dates.map((date) => `${date.toISOString().slice(0, 23)}456Z`),
        fc.constant(null),
      );
    case 'duration':
      return fc.constantFrom('0s', '1m30s', '250ms', '-1h0m0s');
    case 'items':
      return fc.array(single(type.fields[0]!, depth + 1), { minLength: 1, maxLength: 2 });
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-strings':
      return union(type, depth);
    default:
      return freeForm as fc.Arbitrary<JsonObject>;
  }
}

function union(type: MessageType, depth: number): fc.Arbitrary<JsonValue> {
  if (depth >= DEEPEST) return fc.constant(type.jsonForm === 'schema-or-bool' ? true : {});
  return fc.oneof(...type.fields.map((field) => values(field, depth + 1)));
}

function object(type: MessageType, depth: number): fc.Arbitrary<JsonValue> {
  if (depth >= DEEPEST) return fc.constant({});
  const wanted = type.jsonFields.filter((field) => field.number !== undefined);
  return fc
    .subarray(wanted, { maxLength: Math.min(wanted.length, depth === 0 ? 8 : 4) })
    .chain((fields) =>
      fc.record(Object.fromEntries(fields.map((field) => [field.name, values(field, depth + 1)]))),
    ) as fc.Arbitrary<JsonValue>;
}

function values(field: FieldType, depth: number): fc.Arbitrary<JsonValue> {
  const value = single(field, depth);
  if (field.repeated) return fc.array(value, { minLength: 1, maxLength: 2 });
  if (field.map) return fc.dictionary(texts, value, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
  return value;
}

function single(type: ValueType, depth: number): fc.Arbitrary<JsonValue> {
  if (type.message !== undefined) return message(type.message, depth);
  switch (type.scalar) {
    case 'bool':
      return fc.boolean();
    case 'int32':
      return fc.integer();
    case 'int64':
      return fc.oneof(
        fc.maxSafeInteger(),
        fc.bigInt({ min: 2n ** 53n + 1n, max: 2n ** 63n - 1n }).map((n) => new JsonNumber(String(n))),
        fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) - 1n }).map((n) => new JsonNumber(String(n))),
      );
    case 'double':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0);
    case 'bytes':
      return fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    default:
      return texts;
  }
}

import type { Writer } from 'protobufjs';
import { isObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { stringify } from '../../json/stringify.ts';

/** Writes a JSON value as the field of a number. */
export type Field = (writer: Writer, number: number, value: JsonValue) => void;

/** Writes the fields of a message from a JSON value. */
export type Contents = (writer: Writer, value: JsonValue) => void;

/** Wire number and form of a field, by its JSON name. */
export type Fields = Readonly<Record<string, readonly [number: number, field: Field]>>;

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

function tag(writer: Writer, number: number, wireType: number): Writer {
  return writer.uint32((number << 3) | wireType);
}

export const string: Field = (writer, number, value) => {
  tag(writer, number, LENGTH).string(String(value));
};

export const bool: Field = (writer, number, value) => {
  tag(writer, number, VARINT).bool(value === true);
};

export const int64: Field = (writer, number, value) => {
  tag(writer, number, VARINT).int64(Number(value));
};

export const double: Field = (writer, number, value) => {
  tag(writer, number, FIXED64).double(Number(value));
};

/** A message with length in front. */
export function message(contents: Contents): Field {
  return (writer, number, value) => {
    tag(writer, number, LENGTH).fork();
    contents(writer, value);
    writer.ldelim();
  };
}

/** A value of any form: its JSON text, which is YAML too. */
export const any: Field = message((writer, value) => string(writer, 2, stringify(value as JsonObject)));

/** A list; a single value counts as a list of one. */
export function repeated(field: Field): Field {
  return (writer, number, value) => {
    for (const item of Array.isArray(value) ? value : [value]) field(writer, number, item);
  };
}

/** An object with known members; members whose names begin with `x-` go into pairs of name and value. */
export function object(fields: Fields, extensions?: number): Contents {
  const pair = entry(any);
  return (writer, value) => {
    for (const [name, member] of Object.entries(value as JsonObject)) {
      const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (known !== undefined) known[1](writer, known[0], member);
      else if (extensions !== undefined && name.startsWith('x-')) pair(writer, extensions, [name, member]);
    }
  };
}

/** A pair of a name and a value. */
export function entry(value: Field): Field {
  return message((writer, pair) => {
    const [name, item] = pair as [string, JsonValue];
    string(writer, 1, name);
    value(writer, 2, item);
  });
}

/** A map: a list of pairs of name and value. */
export function map(value: Field, number = 1): Contents {
  const pair = entry(value);
  return (writer, members) => {
    for (const member of Object.entries(members as JsonObject)) pair(writer, number, member);
  };
}

/** The one field of a message that has the form of the value. */
export function only(number: number, field: Field): Contents {
  return (writer, value) => field(writer, number, value);
}

/** A message that holds either a schema (or whatever `otherwise` writes) or a reference to one. */
export function orReference(contents: Contents): Field {
  const reference = message(object({ $ref: [1, string] }));
  return message((writer, value) => {
    if (isObject(value) && '$ref' in value) reference(writer, 2, value);
    else message(contents)(writer, 1, value);
  });
}

import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { WireWriter } from './wire-writer.ts';

/** Writes a JSON value as the field with a number. */
export type Field = (writer: WireWriter, number: number, value: JsonValue) => void;

/** Writes the fields of a message from a JSON value. */
export type Contents = (writer: WireWriter, value: JsonValue) => void;

/** The wire number and the form of a field, by its JSON name. */
export type Fields = Readonly<Record<string, readonly [number: number, field: Field]>>;

/** Writes the value of a field step by step, so that other work of the process can continue between two steps. */
export type FieldSteps = (writer: WireWriter, number: number, value: JsonValue) => Generator<void>;

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

function tag(writer: WireWriter, number: number, wireType: number): WireWriter {
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

/** A message with its length before it. */
export function message(contents: Contents): Field {
  return (writer, number, value) => {
    tag(writer, number, LENGTH).fork();
    contents(writer, value);
    writer.ldelim();
  };
}

/** A value of any form, as its JSON text, which is also YAML. */
export const any: Field = message((writer, value) => string(writer, 2, stringify(value as JsonObject)));

/** A list. A single value counts as a list with one item. */
export function repeated(field: Field): Field {
  return (writer, number, value) => {
    for (const item of Array.isArray(value) ? value : [value]) field(writer, number, item);
  };
}

/** An object with known members. Members whose names start with `x-` become pairs of name and value. */
export function object(fields: Fields, extensions?: number): Contents {
  const writeMember = memberOf(fields, extensions);
  return (writer, value) => {
    for (const name of Object.keys(value as JsonObject)) writeMember(writer, name, (value as JsonObject)[name]!);
  };
}

/** Writes one member of such an object. */
function memberOf(fields: Fields, extensions?: number) {
  const known = new Map(Object.entries(fields));
  const pair = entry(any);
  return (writer: WireWriter, name: string, member: JsonValue): void => {
    const [number, field] = known.get(name) ?? [];
    if (number !== undefined) field!(writer, number, member);
    else if (extensions !== undefined && name.startsWith('x-')) pair(writer, extensions, [name, member]);
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

/** A map, as a list of pairs of name and value. */
export function map(value: Field, number = 1): Contents {
  const pair = entry(value);
  return (writer, members) => {
    for (const name of Object.keys(members as JsonObject)) pair(writer, number, [name, (members as JsonObject)[name]!]);
  };
}

/** The only field of a message that has the same form as the value. */
export function only(number: number, field: Field): Contents {
  return (writer, value) => field(writer, number, value);
}

const referenceMessage = message(object({ $ref: [1, string] }));

/** A message that contains either the output of `contents`, or a reference. */
export function orReference(contents: Contents): Field {
  return message((writer, value) => {
    if (isReference(value)) referenceMessage(writer, 2, value);
    else message(contents)(writer, 1, value);
  });
}

function isReference(value: JsonValue): boolean {
  return isObject(value) && '$ref' in value;
}

/** The way in which a form writes schemas. */
export interface SchemaForm {
  /** All members except those that are schemas. */
  readonly fields: Fields;
  readonly extensions: number;
  /** The numbers of members that contain schemas. */
  readonly properties: number;
  readonly items: number;
  readonly additionalProperties: number;
  /** Whether a reference is another message than a schema. */
  readonly wraps: boolean;
}

/**
 * The writers of schemas in a form. They work in steps, because most of a large document is nested. `bare` schemas are
 * never references. They are written without the marker if the form requires this.
 */
export function schemaSteps(form: SchemaForm): { readonly schemas: FieldSteps; readonly bare: FieldSteps } {
  const writeMember = memberOf(form.fields, form.extensions);
  const open = (writer: WireWriter, number: number): WireWriter => tag(writer, number, LENGTH).fork();

  function* inOrder(writer: WireWriter, value: JsonObject): Generator<void> {
    for (const name of Object.keys(value)) {
      const member = value[name]!;
      if (name === 'properties' && isObject(member)) yield* properties(writer, member);
      else if (name === 'items') yield* items(writer, member);
      else if (name === 'additionalProperties') yield* additional(writer, member);
      else writeMember(writer, name, member);
    }
  }

  function* properties(writer: WireWriter, members: JsonObject): Generator<void> {
    open(writer, form.properties);
    for (const name of Object.keys(members)) {
      open(writer, 1);
      string(writer, 1, name);
      yield* steps(writer, 2, members[name]!);
      writer.ldelim();
      yield;
    }
    writer.ldelim();
  }

  function* items(writer: WireWriter, value: JsonValue): Generator<void> {
    open(writer, form.items);
    for (const item of Array.isArray(value) ? value : [value]) yield* steps(writer, 1, item);
    writer.ldelim();
  }

  function* additional(writer: WireWriter, value: JsonValue): Generator<void> {
    open(writer, form.additionalProperties);
    if (typeof value === 'boolean') bool(writer, 2, value);
    else yield* steps(writer, 1, value);
    writer.ldelim();
  }

  function* steps(writer: WireWriter, number: number, value: JsonValue): Generator<void> {
    if (!form.wraps) {
      yield* bare(writer, number, value);
      return;
    }
    open(writer, number);
    if (isReference(value)) referenceMessage(writer, 2, value);
    else yield* bare(writer, 1, value);
    writer.ldelim();
  }

  function* bare(writer: WireWriter, number: number, value: JsonValue): Generator<void> {
    open(writer, number);
    yield* inOrder(writer, value as JsonObject);
    writer.ldelim();
  }
  return { schemas: steps, bare };
}

/** All steps at once. */
export function atOnce(steps: FieldSteps): Field {
  return (writer, number, value) => {
    const all = steps(writer, number, value);
    while (all.next().done !== true);
  };
}

/** A pair of a name and a value, like {@link entry}, step by step. */
export function entrySteps(
  steps: FieldSteps,
): (writer: WireWriter, number: number, pair: [string, JsonValue]) => Generator<void> {
  return function* (writer, number, [name, value]) {
    tag(writer, number, LENGTH).fork();
    string(writer, 1, name);
    yield* steps(writer, 2, value);
    writer.ldelim();
  };
}

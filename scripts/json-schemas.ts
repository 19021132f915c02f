import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { FieldType, JsonForm, MessageType, ResourceType, ValueType } from '#schema/descriptors/types.ts';
import { viewsOf } from '#schema/words/facts.ts';
import { wordsSource } from '#schema/words/load.ts';
import type { Words } from '#schema/words/words.ts';
import { TEXT_PATTERNS } from './text-patterns.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** The schemas of messages that have a special form in JSON, such as a text. */
const SINGLE: Partial<Record<JsonForm, JsonObject>> = {
  quantity: { type: ['string', 'number'] },
  'int-or-string': { type: ['string', 'integer'] },
  // Tools that write manifests write null for a time that is not set.
  time: { type: ['string', 'null'] },
  'micro-time': { type: ['string', 'null'] },
  duration: { type: 'string' },
  'raw-object': { type: ['object', 'null'] },
  'fields-v1': { type: 'object' },
};

const SCALARS: Readonly<Record<NonNullable<ValueType['scalar']>, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
  int64: { type: 'integer' },
  double: { type: 'number' },
  bytes: { type: 'string' },
  any: {},
};

/** Writes one self-contained JSON Schema (draft 07) for objects of one kind. */
class SchemaWriter {
  readonly #words: Words;
  readonly #definitions = new Map<string, JsonObject>();

  constructor(words: Words) {
    this.#words = words;
  }

  ofKind({ message, kind }: ResourceType, apiVersion: string): JsonObject {
    const { properties, required = [], ...rest } = this.#object(message) as { properties: JsonObject; required?: [] };
    return {
      $schema: DRAFT,
      title: `${kind} of ${apiVersion}`,
      ...rest,
      required: ['apiVersion', 'kind', ...required],
      properties: { ...properties, apiVersion: { const: apiVersion }, kind: { const: kind } },
      definitions: Object.fromEntries(this.#definitions),
    };
  }

  #object(message: MessageType): JsonObject {
    const about = this.#words.ofMessage(message);
    const needed = message.jsonFields.filter(({ bounds }) => bounds?.needed === true).map(({ name }) => name);
    const types = message.typeMeta ? { apiVersion: { type: 'string' }, kind: { type: 'string' } } : {};
    const fields = message.jsonFields.map((field) => [field.name, this.#field(message, field)] as const);
    return {
      ...(about !== undefined && { description: about }),
      type: 'object',
      additionalProperties: false,
      ...(needed.length > 0 && { required: needed }),
      properties: { ...types, ...Object.fromEntries(fields) },
    };
  }

  #field(message: MessageType, field: FieldType): JsonObject {
    const description = this.#words.ofField(message, field);
    const { maxItems } = field.bounds ?? {};
    const value = this.#value(field);
    const bounded = { ...value, ...limitsOf(field) };
    const shape: JsonObject = field.repeated
      ? { type: ['array', 'null'], items: bounded, ...(maxItems !== undefined && { maxItems }) }
      : field.map
        ? { type: ['object', 'null'], additionalProperties: value }
        : bounded;
    return {
      ...(description !== undefined && { description }),
      // A validator ignores all keywords beside a reference.
      ...('$ref' in shape ? { allOf: [shape] } : shape),
      ...(field.defaultsTo !== undefined && { default: field.defaultsTo }),
      ...(isReadOnly(message, field) && { readOnly: true }),
    };
  }

  #value({ scalar, message }: ValueType): JsonObject {
    if (message === undefined) return SCALARS[scalar ?? 'any'];
    if (message.jsonForm !== 'object') return message.jsonForm === 'items' ? this.#items(message) : single(message);
    if (!this.#definitions.has(message.name)) {
      this.#definitions.set(message.name, {});
      this.#definitions.set(message.name, this.#object(message));
    }
    return { $ref: `#/definitions/${message.name}` };
  }

  #items(message: MessageType): JsonObject {
    const [items] = message.jsonFields;
    return { type: 'array', items: this.#value(items!) };
  }
}

/** Whether the server ignores a manifest's value of a field: the server sets the field, or a subresource writes it. */
function isReadOnly(message: MessageType, { name, origin }: FieldType): boolean {
  if (origin?.writer === undefined || origin.setOnCreate === true) return false;
  return origin.writer === 'server' || viewsOf(message, name).length > 0;
}

function single(message: MessageType): JsonObject {
  return SINGLE[message.jsonForm] ?? {};
}

/**
 * The bounds of a single value that JSON Schema can express. For a field that is not a pointer, zero means that the
 * field is unset, so the schema allows zero too.
 */
function limitsOf({ bounds = {}, enum: values, pointer, message }: FieldType): JsonObject {
  const { minimum, maximum, textFormat } = bounds;
  if (message !== undefined && message.jsonForm !== 'int-or-string') return {};
  const empty = pointer || bounds.needed === true ? [] : [''];
  const pattern = textFormat === undefined ? undefined : TEXT_PATTERNS[textFormat];
  return {
    ...(minimum !== undefined && { minimum: pointer || bounds.needed === true ? minimum : Math.min(minimum, 0) }),
    ...(maximum !== undefined && { maximum }),
    ...(values !== undefined &&
      bounds.enumUnchecked !== true && { enum: [...new Set([...values, ...empty])] as JsonValue[] }),
    ...(pattern !== undefined && { pattern: empty.length > 0 ? `^$|${pattern}` : pattern }),
  };
}

/**
 * The JSON Schemas of all kinds that clients can create, in all releases, for editors and validators. The keys are file
 * names such as `apps/v1/deployment.json`. The schema `all.json` accepts a manifest of any kind.
 */
export async function jsonSchemas(naming: Naming): Promise<Map<string, JsonObject>> {
  const words = await wordsSource(naming).load();
  if (words === undefined) throw new TypeError('the descriptions of kinds are missing: run npm run generate');
  const files = new Map<string, JsonObject>();
  const choices: JsonObject[] = [];
  for (const { group, version, resources } of loadSchema(naming, 'every').groupVersions) {
    const apiVersion = naming.apiVersion(group, version);
    for (const resource of resources) {
      const file = `${group === '' ? 'core' : group}/${version}/${resource.kind.toLowerCase()}.json`;
      files.set(file, new SchemaWriter(words).ofKind(resource, apiVersion));
      choices.push({
        if: { properties: { apiVersion: { const: apiVersion }, kind: { const: resource.kind } } },
        // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so
        then: { $ref: file },
      });
    }
  }
  files.set('all.json', { $schema: DRAFT, type: 'object', required: ['apiVersion', 'kind'], allOf: choices });
  return files;
}

/** Writes the JSON Schemas into a folder, with one subfolder for each naming profile. First it empties the folder. */
export async function writeJsonSchemas(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const profile of namingProfiles) {
    for (const [file, schema] of await jsonSchemas(createNaming(profile))) {
      const place = path.join(folder, profile, file);
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, JSON.stringify(schema));
    }
  }
}

if (import.meta.main) await writeJsonSchemas(path.resolve(import.meta.dirname, '../dist/schemas'));

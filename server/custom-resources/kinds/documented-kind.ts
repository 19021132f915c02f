import { setImmediate as turn } from 'node:timers/promises';
import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { MEMBERS } from '../../api/documented-members.ts';
import type { DocumentedSchema } from '../../api/object-model.ts';

/** Keywords that documents leave out. Other tools read them, but the server does not use them for objects. */
const UNPUBLISHED: ReadonlySet<string> = new Set([
  'id',
  '$schema',
  '$ref',
  'definitions',
  'dependencies',
  'patternProperties',
  'additionalItems',
  'externalDocs',
  'example',
]);

/** Keywords that OpenAPI 2.0 lacks, or that its clients misunderstand. */
const ONLY_V3: ReadonlySet<string> = new Set(['default', 'nullable', 'allOf', 'anyOf', 'oneOf', 'not']);

/**
 * Members of a schema that some clients of OpenAPI 2.0 accept only in certain places, because they refuse unknown
 * members.
 */
const BOUND: ReadonlySet<string> = new Set(['items', 'properties']);
/** Members that contain schemas. */
const HOLDS_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'additionalProperties',
  'not',
  'allOf',
  'anyOf',
  'oneOf',
]);
/** The types of values that have members or items. */
const WITH_PARTS: ReadonlySet<JsonValue | undefined> = new Set(['array', 'object']);
/** The documented alternatives of a value that may be an integer or a string, if the schema itself has none. */
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** A kind in documents. */
export interface NamedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Reads the current schema of a definition. */
export interface SchemaReader {
  /** A hash of the schema. It is the same on all replicas, and changes whenever the schema changes. */
  hash(): string;
  /** A copy that the caller may change. */
  read(): JSONSchemaProps | undefined;
  /** The labels that field selectors may name. */
  selectableFields(): readonly string[];
  /** Whether the definition is so large that work on it should pause for other work. */
  isLarge(): boolean;
}

/** How documents describe a custom kind. */
export function documentedKind(
  { group, version, kind }: NamedKind,
  extensionPrefix: string,
  reader: SchemaReader,
): DocumentedSchema {
  return {
    name: [...group.split('.').reverse(), version, kind].join('.'),
    get hash() {
      return `${edition(extensionPrefix)} ${reader.hash()}`;
    },
    schema: async (form, reference) => {
      const others = async () => reader.isLarge() && (await turn());
      await others();
      const schema = asJson(reader.read() ?? {});
      await others();
      const published = new PublishedSchema(form, extensionPrefix, () => reference('meta.v1.ObjectMeta'));
      const labels = reader.selectableFields();
      const documented = {
        ...published.ofObjects(schema),
        [`${extensionPrefix}group-version-kind`]: [{ group, kind, version }],
        ...(labels.length > 0 && {
          [`${extensionPrefix}selectable-fields`]: labels.map((fieldPath) => ({ fieldPath })),
        }),
      };
      await others();
      return documented;
    },
  };
}

/** A schema with every keyword that documents rewrite or leave out. */
function example(extensionPrefix: string): JsonObject {
  const words = [...UNPUBLISHED, ...ONLY_V3].map((word): [string, JsonObject] => [
    word,
    { type: 'string', [word]: word },
  ]);
  const marks = ['int-or-string', 'embedded-resource', 'preserve-unknown-fields'].map((mark): [string, JsonObject] => [
    mark,
    { type: 'object', [extensionPrefix + mark]: true, required: ['a'], properties: { a: { nullable: true } } },
  ]);
  return { type: 'object', properties: Object.fromEntries([...words, ...marks]) };
}

const editions = new Map<string, string>();

/** A hash of this build's form of documented schemas: the hash of an example. */
function edition(extensionPrefix: string): string {
  let known = editions.get(extensionPrefix);
  if (known === undefined) {
    const both = (['v2', 'v3'] as const).map((form) =>
      new PublishedSchema(form, extensionPrefix, () => ({})).ofObjects(example(extensionPrefix)),
    );
    known = JSON.stringify(both);
    editions.set(extensionPrefix, known);
  }
  return known;
}

function isPair(schemas: JsonValue | undefined): boolean {
  return schemas !== undefined && jsonEqual(schemas, INT_OR_STRING);
}

/** A schema of a definition in one form of documents. */
class PublishedSchema {
  readonly #form: 'v2' | 'v3';
  readonly #prefix: string;
  readonly #metadata: () => JsonObject;

  constructor(form: 'v2' | 'v3', extensionPrefix: string, metadata: () => JsonObject) {
    this.#form = form;
    this.#prefix = extensionPrefix;
    this.#metadata = metadata;
  }

  /**
   * The schema of whole objects. If only few changes are necessary, it is the same schema object, changed in place.
   * Clients of OpenAPI 2.0 refuse unknown fields if the schema has any fields. So in that form such a schema has no
   * fields.
   */
  ofObjects(schema: JsonObject): JsonObject {
    if (this.#form === 'v2' && (schema.type === undefined || this.#isOpen(schema))) return { type: 'object' };
    return this.#withMembers({ type: 'object', ...this.#of(schema) });
  }

  #of(schema: JsonObject): JsonObject {
    const v2 = this.#form === 'v2';
    const open = v2 && this.#isOpen(schema);
    const isEmbedded = schema[`${this.#prefix}embedded-resource`] === true;
    const isLeft = (name: string, value: JsonValue): boolean =>
      UNPUBLISHED.has(name) ||
      (v2 && ONLY_V3.has(name)) ||
      (open && (BOUND.has(name) || (name === 'type' && (schema.nullable === true || WITH_PARTS.has(value)))));
    const names = Object.keys(schema);
    let result = schema;
    if (v2) result = this.#withoutNulls(schema);
    else this.#sayPair(schema);
    // Almost all parts do not change.
    if (names.some((name) => isLeft(name, schema[name]!)))
      result = Object.fromEntries(Object.entries(result).filter(([name, value]) => !isLeft(name, value!)));
    for (const name of names) {
      const value = Object.hasOwn(result, name) ? result[name] : undefined;
      if (typeof value === 'object' && value !== null && HOLDS_SCHEMAS.has(name))
        result[name] = this.#member(name, value);
    }
    if (v2 && isObject(result.additionalProperties) && Object.keys(result.additionalProperties).length === 0)
      result.additionalProperties = false;
    if (!isEmbedded || open) return result;
    const required = Array.isArray(result.required) ? result.required : [];
    const more = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
    return { ...this.#withMembers(result), required: [...required, ...more] };
  }

  #member(name: string, value: JsonValue): JsonValue {
    if (name === 'properties' && isObject(value)) {
      for (const key of Object.keys(value)) {
        const before = value[key] as JsonObject;
        const after = this.#of(before);
        // These keys already exist, so even an unusual name does no harm.
        if (after !== before) value[key] = after;
      }
      return value;
    }
    if (Array.isArray(value)) return name === 'items' ? value : value.map((each) => this.#of(each as JsonObject));
    return name === 'properties' ? value : this.#of(value as JsonObject);
  }

  /** Adds to a schema that its value may be an integer or a text, if its alternatives do not express that. */
  #sayPair(schema: JsonObject): void {
    if (schema[`${this.#prefix}int-or-string`] !== true || isPair(schema.anyOf)) return;
    const all = Array.isArray(schema.allOf) ? schema.allOf : [];
    if (isObject(all[0]) && isPair(all[0].anyOf)) return;
    if (schema.anyOf === undefined) schema.anyOf = INT_OR_STRING;
    else schema.allOf = [{ anyOf: INT_OR_STRING }, ...all];
  }

  /** Removes fields that may be null from the required ones. OpenAPI 2.0 cannot say that a field may be null. */
  #withoutNulls(schema: JsonObject): JsonObject {
    const { properties, additionalProperties, required } = schema;
    if (!Array.isArray(required)) return schema;
    const mayBeNull = (member: JsonValue | undefined) => isObject(member) && member.nullable === true;
    // The members of a value that accepts unknown fields are not described.
    const members = isObject(properties) && !this.#isOpen(schema) ? properties : {};
    const left = mayBeNull(additionalProperties)
      ? []
      : required.filter((name) => !mayBeNull(Object.hasOwn(members, String(name)) ? members[String(name)] : undefined));
    if (left.length === required.length && left.length > 0) return schema;
    const { required: _, ...rest } = schema;
    return left.length === 0 ? rest : { ...rest, required: left };
  }

  /** Whether unknown fields or null are allowed. */
  #isOpen(schema: JsonObject): boolean {
    return schema.nullable === true || schema[`${this.#prefix}preserve-unknown-fields`] === true;
  }

  /** The members of every object. */
  #withMembers(schema: JsonObject): JsonObject {
    const properties = {
      ...(schema.properties as JsonObject | undefined),
      apiVersion: { description: MEMBERS.apiVersion, type: 'string' },
      kind: { description: MEMBERS.kind, type: 'string' },
      metadata: { ...this.#metadata(), description: MEMBERS.metadata },
    };
    const sorted = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...schema, properties: Object.fromEntries(sorted) };
  }
}

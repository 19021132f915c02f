import type { DocumentedSchema } from '../../api/object-model.ts';
import { jsonEqual } from '../../json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import type { JSONSchemaProps } from '../../schema/generated/apiextensions.v1.ts';

/** What documents leave out of a schema: what other tools read but objects do not depend on. */
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

/** What OpenAPI 2.0 has no words for, or what its clients take for something else. */
const ONLY_V3: ReadonlySet<string> = new Set(['default', 'nullable', 'allOf', 'anyOf', 'oneOf', 'not']);

/** What clients of OpenAPI 2.0 may not know of a value that is not bound to it: they refuse what they do not know. */
const BOUND: ReadonlySet<string> = new Set(['items', 'properties']);
/** Types of values that may be bound so. */
const WITH_PARTS: ReadonlySet<JsonValue | undefined> = new Set(['array', 'object']);
/** What stands for an integer or a text where the schema itself says no such alternatives. */
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** A kind as documents name it. */
export interface NamedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** How documents describe a custom kind; `read` gives the schema of its definition as it is now. */
export function documentedKind(
  { group, version, kind }: NamedKind,
  extensionPrefix: string,
  read: () => JSONSchemaProps | undefined,
): DocumentedSchema {
  return {
    name: [...group.split('.').reverse(), version, kind].join('.'),
    schema: (form, reference) => {
      const published = new PublishedSchema(form, extensionPrefix, () => reference('meta.v1.ObjectMeta'));
      return {
        ...published.ofObjects((read() ?? {}) as unknown as JsonObject),
        [`${extensionPrefix}group-version-kind`]: [{ group, kind, version }],
      };
    },
  };
}

function isPair(schemas: JsonValue | undefined): boolean {
  return schemas !== undefined && jsonEqual(schemas, INT_OR_STRING);
}

/** A schema of a definition in the words of a form of documents. */
class PublishedSchema {
  readonly #form: 'v2' | 'v3';
  readonly #prefix: string;
  readonly #metadata: () => JsonObject;

  constructor(form: 'v2' | 'v3', extensionPrefix: string, metadata: () => JsonObject) {
    this.#form = form;
    this.#prefix = extensionPrefix;
    this.#metadata = metadata;
  }

  /** Of whole objects. Clients of OpenAPI 2.0 refuse unknown fields where any are known: there, none are. */
  ofObjects(schema: JsonObject): JsonObject {
    if (this.#form === 'v2' && (schema.type === undefined || this.#isOpen(schema))) return { type: 'object' };
    return this.#withMembers({ type: 'object', ...this.#of(schema) });
  }

  #of(schema: JsonObject): JsonObject {
    const v2 = this.#form === 'v2';
    const open = v2 && this.#isOpen(schema);
    const result: JsonObject = {};
    for (const [name, value] of Object.entries(schema)) {
      if (UNPUBLISHED.has(name) || (v2 && ONLY_V3.has(name)) || (open && BOUND.has(name))) continue;
      if (open && name === 'type' && (schema.nullable === true || WITH_PARTS.has(value))) continue;
      result[name] = this.#member(name, value as JsonValue);
    }
    if (v2) this.#leaveNullsOut(schema, result);
    else this.#sayPair(schema, result);
    if (schema[`${this.#prefix}embedded-resource`] !== true || open) return result;
    const required = Array.isArray(schema.required) ? schema.required : [];
    const more = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
    return { ...this.#withMembers(result), required: [...required, ...more] };
  }

  #member(name: string, value: JsonValue): JsonValue {
    if (name === 'properties' && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#of(each as JsonObject)]));
    }
    if ((name === 'items' || name === 'additionalProperties' || name === 'not') && isObject(value)) {
      return this.#of(value);
    }
    if ((name === 'allOf' || name === 'anyOf' || name === 'oneOf') && Array.isArray(value)) {
      return value.map((each) => this.#of(each as JsonObject));
    }
    return value;
  }

  /** Says of a value that it may be an integer or a text, where its alternatives do not. */
  #sayPair(schema: JsonObject, result: JsonObject): void {
    if (schema[`${this.#prefix}int-or-string`] !== true || isPair(schema.anyOf)) return;
    const all = Array.isArray(schema.allOf) ? schema.allOf : [];
    if (isObject(all[0]) && isPair(all[0].anyOf)) return;
    if (schema.anyOf === undefined) result.anyOf = INT_OR_STRING;
    else result.allOf = [{ anyOf: INT_OR_STRING }, ...((result.allOf as JsonValue[] | undefined) ?? [])];
  }

  /** What may be null has no words in OpenAPI 2.0: there, nobody has to give it. */
  #leaveNullsOut({ properties, additionalProperties }: JsonObject, result: JsonObject): void {
    if (isObject(result.additionalProperties) && Object.keys(result.additionalProperties).length === 0) {
      result.additionalProperties = false;
    }
    const { required } = result;
    if (!Array.isArray(required)) return;
    const mayBeNull = (schema: JsonValue | undefined) => isObject(schema) && schema.nullable === true;
    // of a value that may have more than is said, members are not looked at
    const members = isObject(properties) && result.properties !== undefined ? properties : {};
    const left = mayBeNull(additionalProperties)
      ? []
      : required.filter((name) => !mayBeNull(Object.hasOwn(members, String(name)) ? members[String(name)] : undefined));
    if (left.length === 0) delete result.required;
    else result.required = left;
  }

  /** Whether there may be more than the schema says, or null. */
  #isOpen(schema: JsonObject): boolean {
    return schema.nullable === true || schema[`${this.#prefix}preserve-unknown-fields`] === true;
  }

  /** What every object has. */
  #withMembers(schema: JsonObject): JsonObject {
    const properties = {
      ...(schema.properties as JsonObject | undefined),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: this.#metadata(),
    };
    const sorted = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...schema, properties: Object.fromEntries(sorted) };
  }
}

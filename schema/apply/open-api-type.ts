import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { MessageType } from '../descriptors/types.ts';
import {
  ANYTHING,
  type ApplyType,
  applyTypeOf,
  BOOLEAN,
  DEDUCED,
  type ItemKey,
  NUMBER,
  type ObjectApplyType,
  type ObjectSchema,
  SCALAR,
  STRING,
} from './apply-type.ts';
import { isScalar, memberOf, membersOf } from './value.ts';

/**
 * The schema of a custom resource. `schema` is its OpenAPI schema, or undefined if it has none. `prefix` starts the
 * names of schema extensions (`x-…-`). `objectMeta` is the message of the metadata of all objects.
 *
 * @example
 * objectSchemaOfOpenApi({ type: 'object', properties: { spec: { type: 'object' } } }, 'x-orch-', objectMeta)
 */
export function objectSchemaOfOpenApi(
  schema: JsonObject | undefined,
  prefix: string,
  objectMeta: MessageType,
): ObjectSchema {
  const metadata = applyTypeOf(objectMeta);
  const declared = schema === undefined ? undefined : new Reader(prefix, metadata).type(schema);
  const root = declared?.kind === 'object' ? declared : undefined;
  const fields = new Map(root?.fields);
  fields.set('apiVersion', STRING).set('kind', STRING).set('metadata', metadata);
  return {
    type: { kind: 'object', atomic: false, fields, others: root === undefined ? DEDUCED : root.others },
    empty: {},
  };
}

class Reader {
  readonly #prefix: string;
  readonly #metadata: ApplyType;

  constructor(prefix: string, metadata: ApplyType) {
    this.#prefix = prefix;
    this.#metadata = metadata;
  }

  type(schema: JsonObject): ApplyType {
    if (this.#extension(schema, 'int-or-string') === true) return SCALAR;
    switch (schema.type) {
      case 'string':
        return STRING;
      case 'integer':
      case 'number':
        return NUMBER;
      case 'boolean':
        return BOOLEAN;
      case 'array':
        return this.#list(schema);
      case 'object':
        return this.#object(schema);
      default:
        return this.#extension(schema, 'preserve-unknown-fields') === true ? DEDUCED : ANYTHING;
    }
  }

  #list(schema: JsonObject): ApplyType {
    const items = membersOf(schema.items);
    const item = items === undefined ? DEDUCED : this.type(items);
    const relation = this.#extension(schema, 'list-type');
    if (relation === 'set') return { kind: 'list', relation, keys: [], item };
    if (relation !== 'map') return { kind: 'list', relation: 'atomic', keys: [], item };
    const names = this.#extension(schema, 'list-map-keys');
    const properties = membersOf(items?.properties);
    const keys = (Array.isArray(names) ? names : []).filter((name) => typeof name === 'string').sort();
    return { kind: 'list', relation, keys: keys.map((name) => itemKey(name, memberOf(properties, name))), item };
  }

  #object(schema: JsonObject): ApplyType {
    const fields = new Map<string, ApplyType>();
    for (const [name, property] of Object.entries(membersOf(schema.properties) ?? {})) {
      if (isObject(property)) fields.set(name, this.type(property));
    }
    if (this.#extension(schema, 'embedded-resource') === true) {
      fields.set('apiVersion', STRING).set('kind', STRING).set('metadata', this.#metadata);
    }
    const atomic = this.#extension(schema, 'map-type') === 'atomic';
    return { kind: 'object', atomic, fields, others: this.#others(schema) } satisfies ObjectApplyType;
  }

  #others(schema: JsonObject): ApplyType | undefined {
    const additional = schema.additionalProperties;
    if (additional !== undefined && isObject(additional)) return this.type(additional);
    return additional === true || this.#extension(schema, 'preserve-unknown-fields') === true ? DEDUCED : undefined;
  }

  #extension(schema: JsonObject, name: string): JsonValue | undefined {
    return memberOf(schema, this.#prefix + name);
  }
}

function itemKey(name: string, property: JsonValue | undefined): ItemKey {
  const value = memberOf(membersOf(property), 'default');
  const usable = value !== undefined && isScalar(value) && (typeof value !== 'object' || value === null);
  return { name, default: usable ? value : undefined };
}

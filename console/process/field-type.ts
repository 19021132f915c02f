import type { JsonValue } from '#base/json/json-value.ts';
import { referenceOf, type Schema, type Schemas } from '#client/open-api/schemas.ts';
import { ANYTHING, type ApplyType, DEDUCED, type ItemKey } from '#schema/apply/apply-type.ts';

/**
 * How to compare values of a kind field by field, from the server's schema. Fields that the schema does not have are
 * compared too.
 *
 * @param prefix starts the names of schema extensions
 */
export function fieldTypeOf(schemas: Schemas, root: Schema, prefix: string): ApplyType {
  return new Reader(schemas, prefix).type(root);
}

class Reader {
  readonly #schemas: Schemas;
  readonly #prefix: string;
  /** Types by the schema that is referred to: schemas may contain themselves. */
  readonly #known = new Map<string, ApplyType>();

  constructor(schemas: Schemas, prefix: string) {
    this.#schemas = schemas;
    this.#prefix = prefix;
  }

  type(schema: Schema): ApplyType {
    const reference = referenceOf(schema);
    const known = reference === undefined ? undefined : this.#known.get(reference);
    if (known !== undefined) return known;
    const whole = { ...this.#schemas.resolve(schema), ...extensionsOf(schema, this.#prefix) };
    if (whole.type === 'array') return this.#list(whole);
    if (whole.type !== undefined && whole.type !== 'object') return ANYTHING;
    const { properties, additionalProperties } = whole;
    if (properties === undefined && typeof additionalProperties !== 'object')
      return whole.type === undefined ? ANYTHING : DEDUCED;
    const fields = new Map<string, ApplyType>();
    const others = typeof additionalProperties === 'object' ? this.type(additionalProperties) : DEDUCED;
    const atomic = whole[`${this.#prefix}map-type`] === 'atomic';
    const type: ApplyType = { kind: 'object', atomic, fields, others };
    if (reference !== undefined) this.#known.set(reference, type);
    for (const [name, property] of Object.entries(properties ?? {})) fields.set(name, this.type(property));
    return type;
  }

  #list(schema: Schema): ApplyType {
    const item = this.type(schema.items ?? {});
    const says = (name: string): unknown => schema[this.#prefix + name];
    const isMerged = String(says('patch-strategy') ?? '').includes('merge');
    const mergeKey = says('patch-merge-key');
    const relation = says('list-type') ?? (isMerged ? (mergeKey === undefined ? 'set' : 'map') : 'atomic');
    if (relation === 'set') return { kind: 'list', relation, keys: [], item };
    const names = says('list-map-keys') ?? (typeof mergeKey === 'string' ? [mergeKey] : []);
    if (relation !== 'map' || !Array.isArray(names) || names.length === 0)
      return { kind: 'list', relation: 'atomic', keys: [], item };
    const { properties = {} } = this.#schemas.resolve(schema.items ?? {});
    const keys = names
      .map(String)
      .sort()
      .map((name) => keyOf(name, properties[name]));
    return { kind: 'list', relation, keys, item };
  }
}

function keyOf(name: string, schema: Schema | undefined): ItemKey {
  const value = schema?.['default'] as JsonValue | undefined;
  const isUsable = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return { name, default: isUsable ? (value as ItemKey['default']) : undefined };
}

/** A field may have more extensions than the schema to which it refers. */
function extensionsOf(schema: Schema, prefix: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name.startsWith(prefix)));
}

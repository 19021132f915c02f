import type { JsonValue } from '../../json/json-value.ts';
import { stringify } from '../../json/stringify.ts';
import type { JSONSchemaProps, ValidationRule } from '../../schema/generated/apiextensions.v1.ts';
import { checkedFormat } from './formats.ts';
import type { Holds, SchemaRule, StructuralSchema, ValueLimits } from './structural-schema.ts';

const NO_TYPES: readonly string[] = [];
const INT_OR_STRING: readonly string[] = ['integer', 'string'];
const SINGLE_TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  ['array', 'boolean', 'integer', 'number', 'object', 'string'].map((type) => [type, [type]]),
);
const NO_PROPERTIES: ReadonlyMap<string, StructuralSchema> = new Map();
const NO_RULES: readonly SchemaRule[] = [];
const NO_KEYS: readonly string[] = [];
const NO_SCHEMAS: readonly StructuralSchema[] = [];

/** Keywords of {@link ValueLimits} as they stand in a schema. */
const LIMIT_KEYWORDS = [
  'maximum',
  'minimum',
  'multipleOf',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxProperties',
  'minProperties',
  'required',
  'enum',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
] as const;

/** Keywords with other schemas in them. */
const BRANCHES = ['properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not'] as const;

/** The schema of a definition's version in the form of {@link StructuralSchema}. */
export function compileSchema(schema: JSONSchemaProps | undefined, extensionPrefix: string): StructuralSchema {
  return new SchemaCompiler(extensionPrefix).compile(schema ?? {});
}

class SchemaCompiler {
  readonly #prefix: string;
  /** Values that nothing else is below are much alike in a schema: one of each is kept. */
  readonly #leaves = new Map<string, StructuralSchema>();

  constructor(extensionPrefix: string) {
    this.#prefix = extensionPrefix;
  }

  compile(schema: JSONSchemaProps): StructuralSchema {
    // a default that is an object stays the definition's own: checks bring it into canonical form
    const isLeaf = typeof (schema.default ?? '') !== 'object' && !BRANCHES.some((name) => schema[name] !== undefined);
    if (!isLeaf) return this.#compile(schema);
    const { description: _, ...told } = schema;
    const key = stringify(told as unknown as JsonValue);
    let leaf = this.#leaves.get(key);
    if (leaf === undefined) this.#leaves.set(key, (leaf = this.#compile(schema)));
    return leaf;
  }

  #compile(schema: JSONSchemaProps): StructuralSchema {
    const extension = (name: string) => schema[this.#prefix + name];
    const intOrString = extension('int-or-string') === true;
    const properties = this.#properties(schema.properties);
    const { items, additionalProperties } = schema;
    const additional =
      typeof additionalProperties === 'object' ? this.compile(additionalProperties) : additionalProperties;
    const compiledItems = items === undefined || Array.isArray(items) ? undefined : this.compile(items);
    const limits = this.#limits(schema);
    const rules = (extension('validations') as ValidationRule[] | undefined) ?? [];
    const listType = listTypeOf(extension('list-type'));
    const embedded = extension('embedded-resource') === true;
    const hasDefault = schema.default !== undefined && schema.default !== null;
    return {
      types: intOrString ? INT_OR_STRING : (SINGLE_TYPES.get(schema.type ?? '') ?? NO_TYPES),
      format: checkedFormat(schema.format ?? ''),
      nullable: schema.nullable === true,
      intOrString,
      preserve: extension('preserve-unknown-fields') === true,
      embedded,
      properties,
      additional,
      items: compiledItems,
      hasDefault,
      default: schema.default ?? null,
      listType,
      listMapKeys: (extension('list-map-keys') as string[] | undefined) ?? NO_KEYS,
      atomicMap: extension('map-type') === 'atomic',
      limits,
      rules: rules.length === 0 ? NO_RULES : rules.map(({ rule, message = '' }) => ({ rule, message })),
      holds: held({ defaults: hasDefault, rules: rules.length > 0, embedded, keyedLists: listType !== 'atomic' }, [
        ...properties.values(),
        compiledItems,
        typeof additional === 'object' ? additional : undefined,
      ]),
    };
  }

  #properties(properties: Record<string, JSONSchemaProps> | undefined): ReadonlyMap<string, StructuralSchema> {
    if (properties === undefined) return NO_PROPERTIES;
    return new Map(Object.entries(properties).map(([name, schema]) => [name, this.compile(schema)]));
  }

  #limits(schema: JSONSchemaProps): ValueLimits | undefined {
    if (!LIMIT_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) return undefined;
    const all = (schemas: readonly JSONSchemaProps[] | undefined) =>
      schemas === undefined ? NO_SCHEMAS : schemas.map((each) => this.compile(each));
    return {
      maximum: numberOf(schema.maximum),
      exclusiveMaximum: schema.exclusiveMaximum === true,
      minimum: numberOf(schema.minimum),
      exclusiveMinimum: schema.exclusiveMinimum === true,
      multipleOf: numberOf(schema.multipleOf),
      maxLength: numberOf(schema.maxLength),
      minLength: numberOf(schema.minLength),
      pattern: schema.pattern ?? '',
      maxItems: numberOf(schema.maxItems),
      minItems: numberOf(schema.minItems),
      uniqueItems: schema.uniqueItems === true,
      maxProperties: numberOf(schema.maxProperties),
      minProperties: numberOf(schema.minProperties),
      required: schema.required ?? NO_KEYS,
      enum: schema.enum === undefined || schema.enum.length === 0 ? undefined : schema.enum,
      allOf: all(schema.allOf),
      anyOf: all(schema.anyOf),
      oneOf: all(schema.oneOf),
      not: schema.not === undefined ? undefined : this.compile(schema.not),
    };
  }
}

function listTypeOf(value: unknown): 'atomic' | 'set' | 'map' {
  return value === 'set' || value === 'map' ? value : 'atomic';
}

/** Numbers of a schema may be kept as text. */
function numberOf(value: JsonValue | undefined): number | undefined {
  return value === undefined || value === null ? undefined : Number(value);
}

/** What may be held, once each: of most schemas it is the same. */
const HELD = Array.from(
  { length: 16 },
  (_, bits): Holds => ({
    defaults: (bits & 1) !== 0,
    rules: (bits & 2) !== 0,
    embedded: (bits & 4) !== 0,
    keyedLists: (bits & 8) !== 0,
  }),
);

function bitsOf({ defaults, rules, embedded, keyedLists }: Holds): number {
  return (defaults ? 1 : 0) | (rules ? 2 : 0) | (embedded ? 4 : 0) | (keyedLists ? 8 : 0);
}

function held(own: Holds, below: readonly (StructuralSchema | undefined)[]): Holds {
  let bits = bitsOf(own);
  for (const schema of below) if (schema !== undefined) bits |= bitsOf(schema.holds);
  return HELD[bits]!;
}

import type { JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { JSONSchemaProps, ValidationRule } from '#schema/generated/apiextensions.v1.ts';
import { checkedFormat } from '../../expressions/texts/formats.ts';
import { type ExtensionNames, extensionNames, KEYWORD_BITS, keywordBits } from './keyword-bits.ts';
import { checkedRange } from './number-ranges.ts';
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

const BRANCHES = KEYWORD_BITS.properties | KEYWORD_BITS.items | KEYWORD_BITS.additional | KEYWORD_BITS.alternatives;

/**
 * The schema of a definition's version in the form of {@link StructuralSchema}.
 * @param namePrefix the prefix of name formats; undefined if the release does not have them
 */
export function compileSchema(
  schema: JSONSchemaProps | undefined,
  extensionPrefix: string,
  namePrefix?: string,
): StructuralSchema {
  return new SchemaCompiler(extensionNames(extensionPrefix), namePrefix).compile(schema ?? {});
}

class SchemaCompiler {
  readonly #names: ExtensionNames;
  readonly #namePrefix: string | undefined;
  /** Leaf schemas. Many of them are equal in a definition, so only one copy of each is kept. */
  readonly #leaves = new Map<string, StructuralSchema>();

  constructor(names: ExtensionNames, namePrefix: string | undefined) {
    this.#names = names;
    this.#namePrefix = namePrefix;
  }

  compile(schema: JSONSchemaProps): StructuralSchema {
    const bits = keywordBits(schema);
    // A default that is an object is not copied from the definition. Checks convert it to canonical form.
    const isLeaf = (bits & BRANCHES) === 0 && typeof (schema.default ?? '') !== 'object';
    if (!isLeaf) return this.#compile(schema, bits);
    const key = bits === 0 ? (schema.type ?? '') : leafKey(schema);
    let leaf = this.#leaves.get(key);
    if (leaf === undefined) this.#leaves.set(key, (leaf = this.#compile(schema, bits)));
    return leaf;
  }

  #compile(schema: JSONSchemaProps, bits: number): StructuralSchema {
    const names = this.#names;
    const intOrString = schema[names.intOrString] === true;
    const properties = this.#properties(schema.properties);
    const { items, additionalProperties } = schema;
    const additional =
      typeof additionalProperties === 'object' ? this.compile(additionalProperties) : additionalProperties;
    const compiledItems = items === undefined || Array.isArray(items) ? undefined : this.compile(items);
    const limits = (bits & KEYWORD_BITS.limits) === 0 ? undefined : this.#limits(schema);
    const rules = (schema[names.validations] as ValidationRule[] | undefined) ?? [];
    const listType = listTypeOf(schema[names.listType]);
    const embedded = schema[names.embedded] === true;
    const hasDefault = schema.default !== undefined && schema.default !== null;
    return {
      types: intOrString ? INT_OR_STRING : (SINGLE_TYPES.get(schema.type ?? '') ?? NO_TYPES),
      format: checkedFormat(schema.format ?? '', this.#namePrefix),
      numberFormat: checkedRange(schema.type ?? '', schema.format ?? ''),
      nullable: schema.nullable === true,
      intOrString,
      preserve: schema[names.preserve] === true,
      embedded,
      properties,
      additional,
      items: compiledItems,
      hasDefault,
      default: schema.default ?? null,
      listType,
      listMapKeys: (schema[names.listMapKeys] as string[] | undefined) ?? NO_KEYS,
      atomicMap: schema[names.mapType] === 'atomic',
      limits,
      rules: rules.length === 0 ? NO_RULES : rules.map(schemaRule),
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

  #limits(schema: JSONSchemaProps): ValueLimits {
    const all = (schemas: readonly JSONSchemaProps[] | undefined) =>
      schemas === undefined ? NO_SCHEMAS : schemas.map((each) => this.compile(each));
    const values = schema.enum === undefined || schema.enum.length === 0 ? undefined : schema.enum;
    const [allOf, anyOf, oneOf] = [all(schema.allOf), all(schema.anyOf), all(schema.oneOf)];
    const not = schema.not === undefined ? undefined : this.compile(schema.not);
    const hasAlternatives = allOf.length + anyOf.length + oneOf.length > 0 || not !== undefined;
    const pattern = schema.pattern ?? '';
    return {
      maximum: numberOf(schema.maximum),
      exclusiveMaximum: schema.exclusiveMaximum === true,
      minimum: numberOf(schema.minimum),
      exclusiveMinimum: schema.exclusiveMinimum === true,
      multipleOf: numberOf(schema.multipleOf),
      maxLength: numberOf(schema.maxLength),
      minLength: numberOf(schema.minLength),
      pattern,
      maxItems: numberOf(schema.maxItems),
      minItems: numberOf(schema.minItems),
      uniqueItems: schema.uniqueItems === true,
      maxProperties: numberOf(schema.maxProperties),
      minProperties: numberOf(schema.minProperties),
      required: schema.required ?? NO_KEYS,
      enum: values,
      allOf,
      anyOf,
      oneOf,
      not,
      hasAlternatives,
      isDear: hasAlternatives || pattern !== '' || values !== undefined,
    };
  }
}

/** A rule of a definition, with values for all fields that may be missing. */
export function schemaRule(rule: ValidationRule): SchemaRule {
  return {
    rule: rule.rule,
    message: rule.message ?? '',
    messageExpression: rule.messageExpression ?? '',
    reason: rule.reason ?? '',
    fieldPath: rule.fieldPath ?? '',
    optionalOldSelf: rule.optionalOldSelf,
  };
}

/** The identity of a leaf schema: everything except its descriptions. No key is the name of a type. */
function leafKey(schema: JSONSchemaProps): string {
  const { description: _, ...rest } = schema;
  return stringify(rest as unknown as JsonValue);
}

function listTypeOf(value: unknown): 'atomic' | 'set' | 'map' {
  return value === 'set' || value === 'map' ? value : 'atomic';
}

/** A number. A number of a schema may be kept as text. */
function numberOf(value: JsonValue | undefined): number | undefined {
  return value === undefined || value === null ? undefined : Number(value);
}

/** The sets of types that a value may have, created once, because most schemas share them. */
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

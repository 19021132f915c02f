import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';

/**
 * The keywords of a schema, one bit for each group of keywords. A definition has thousands of schemas, and most of them
 * have only a type and a description. A check reads the bits first, and reads single keywords only if their bit is set.
 */
export const KEYWORD_BITS = {
  /** Any keyword except `type`, `description` and those below. */
  other: 1,
  properties: 2,
  items: 4,
  additional: 8,
  /** `allOf`, `anyOf`, `oneOf` or `not`. */
  alternatives: 16,
  /** At least one keyword restricts values. */
  limits: 32,
  pattern: 64,
  uniqueItems: 128,
  /** At least one extension of schemas by this system. */
  extension: 256,
  /** At least one keyword that schemas of custom kinds do not have. */
  unsupported: 512,
  dialect: 1024,
} as const;

/** Keywords that schemas of custom kinds do not have, in the order of their errors. */
export const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

const BIT_OF_KEYWORD: ReadonlyMap<string, number> = new Map([
  ['type', 0],
  ['description', 0],
  ['properties', KEYWORD_BITS.properties],
  ['items', KEYWORD_BITS.items],
  ['additionalProperties', KEYWORD_BITS.additional],
  ['$schema', KEYWORD_BITS.dialect],
  ['pattern', KEYWORD_BITS.limits | KEYWORD_BITS.pattern],
  ['uniqueItems', KEYWORD_BITS.limits | KEYWORD_BITS.uniqueItems],
  ...(['allOf', 'anyOf', 'oneOf', 'not'] as const).map(
    (name) => [name, KEYWORD_BITS.limits | KEYWORD_BITS.alternatives] as const,
  ),
  ...[
    'maximum',
    'minimum',
    'multipleOf',
    'maxLength',
    'minLength',
    'maxItems',
    'minItems',
    'maxProperties',
    'minProperties',
    'required',
    'enum',
  ].map((name) => [name, KEYWORD_BITS.limits] as const),
  ...UNSUPPORTED.map((name) => [name, KEYWORD_BITS.unsupported] as const),
]);

/** The {@link KEYWORD_BITS} of a schema, combined by `|`. */
export function keywordBits(schema: JSONSchemaProps): number {
  let bits = 0;
  for (const keyword in schema) {
    bits |= BIT_OF_KEYWORD.get(keyword) ?? (keyword.startsWith('x-') ? KEYWORD_BITS.extension : KEYWORD_BITS.other);
  }
  return bits;
}

/** The names of this system's extensions of schemas in a naming profile. */
export interface ExtensionNames {
  readonly embedded: string;
  readonly intOrString: string;
  readonly listMapKeys: string;
  readonly listType: string;
  readonly mapType: string;
  readonly preserve: string;
  readonly validations: string;
}

const NAMES = new Map<string, ExtensionNames>();

/**
 * The extensions for a `prefix`. All their names begin with this prefix, such as `x-`. It is the same object each time.
 */
export function extensionNames(prefix: string): ExtensionNames {
  let names = NAMES.get(prefix);
  if (names === undefined) {
    names = {
      embedded: `${prefix}embedded-resource`,
      intOrString: `${prefix}int-or-string`,
      listMapKeys: `${prefix}list-map-keys`,
      listType: `${prefix}list-type`,
      mapType: `${prefix}map-type`,
      preserve: `${prefix}preserve-unknown-fields`,
      validations: `${prefix}validations`,
    };
    NAMES.set(prefix, names);
  }
  return names;
}

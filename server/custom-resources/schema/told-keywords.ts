import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';

/**
 * What a schema says, in bits. Most of the schemas of a definition say nothing but a type and a description: what is not
 * said is not looked for, keyword by keyword, in each of thousands.
 */
export const TOLD = {
  /** Any keyword but `type`, `description` and those below. */
  other: 1,
  properties: 2,
  items: 4,
  additional: 8,
  /** `allOf`, `anyOf`, `oneOf` or `not`. */
  alternatives: 16,
  /** Some keyword restricts values. */
  limits: 32,
  pattern: 64,
  uniqueItems: 128,
  /** Some extension of schemas by this system. */
  extension: 256,
  /** Some keyword that schemas of custom kinds do not have. */
  unsupported: 512,
  dialect: 1024,
} as const;

/** Keywords that schemas of custom kinds do not have, in the order in which they are refused. */
export const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

const BITS: ReadonlyMap<string, number> = new Map([
  ['type', 0],
  ['description', 0],
  ['properties', TOLD.properties],
  ['items', TOLD.items],
  ['additionalProperties', TOLD.additional],
  ['$schema', TOLD.dialect],
  ['pattern', TOLD.limits | TOLD.pattern],
  ['uniqueItems', TOLD.limits | TOLD.uniqueItems],
  ...(['allOf', 'anyOf', 'oneOf', 'not'] as const).map((name) => [name, TOLD.limits | TOLD.alternatives] as const),
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
  ].map((name) => [name, TOLD.limits] as const),
  ...UNSUPPORTED.map((name) => [name, TOLD.unsupported] as const),
]);

/** Bits of {@link TOLD}. */
export function toldBy(schema: JSONSchemaProps): number {
  let told = 0;
  for (const keyword in schema) {
    told |= BITS.get(keyword) ?? (keyword.startsWith('x-') ? TOLD.extension : TOLD.other);
  }
  return told;
}

/** The extensions of schemas by this system, by the names that they have in a naming profile. */
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

/** `prefix`: what all of them begin with, `x-`, in a naming profile. The same value each time. */
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

import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type Bundle, type Make, maker } from './bundle.ts';

/** A rule of a definition, and members of an object's `spec` that satisfy the rule. */
type Rule = readonly [about: string, rule: JsonObject, spec: JsonObject];

const text = { type: 'string', maxLength: 64 };

/** The fields that rules check. */
const RULED: JsonObject = {
  size: text,
  address: text,
  range: text,
  label: text,
  version: text,
  site: text,
  text,
  on: { type: 'boolean' },
  limit: { type: 'integer' },
  names: { type: 'array', maxItems: 10, items: text },
  numbers: { type: 'array', maxItems: 10, items: { type: 'integer' } },
  more: { type: 'object', properties: { on: { type: 'boolean' } } },
  pairs: { type: 'object', maxProperties: 10, additionalProperties: text },
};

const RULES: readonly Rule[] = [
  ['quantity', { rule: "quantity(self.size).isLessThan(quantity('10Gi'))" }, { size: '1Gi' }],
  ['ip', { rule: 'isIP(self.address) && ip(self.address).family() == 4' }, { address: '10.1.2.3' }],
  ['cidr', { rule: "cidr(self.range).containsIP('10.1.2.3')" }, { range: '10.0.0.0/8' }],
  ['format', { rule: '!format.dns1123Label().validate(self.label).hasValue()' }, { label: 'a-b' }],
  ['sets', { rule: "sets.contains(self.names, ['a'])" }, { names: ['b', 'a'] }],
  ['lists', { rule: 'self.numbers.isSorted() && self.numbers.sum() == 6' }, { numbers: [1, 2, 3] }],
  [
    'strings',
    { rule: "self.text.lowerAscii() == 'a-b' && self.text.split('-').size() == 2 && '%s'.format([self.text]) != ''" },
    { text: 'A-b' },
  ],
  ['semver', { rule: "semver(self.version).isGreaterThan(semver('1.0.0'))" }, { version: '1.2.3' }],
  ['optional', { rule: 'self.?more.?on.orValue(true) && optional.of(1).hasValue()' }, { on: true }],
  ['two-variables', { rule: 'self.pairs.all(k, v, k.size() <= v.size())' }, { pairs: { a: 'bc' } }],
  ['url', { rule: "url(self.site).getHost() == 'example.com'" }, { site: 'https://example.com/a' }],
  ['regex', { rule: "self.text.find('[A-Z]') == 'A' && self.text.findAll('[a-z]').size() == 1" }, { text: 'A-b' }],
  [
    'messages',
    {
      rule: 'self.limit <= 10',
      messageExpression: "self.text + ' is more than 10'",
      reason: 'FieldValueForbidden',
      fieldPath: '.limit',
    },
    { limit: 3, text: 'three' },
  ],
  [
    'old-self',
    { rule: '!oldSelf.hasValue() || oldSelf.value().limit <= self.limit', optionalOldSelf: true },
    { limit: 3 },
  ],
];

/** One definition, with a version of the given schema. */
function definition(make: Make, kind: string, schema: JsonObject, more: JsonObject = {}, version: JsonObject = {}) {
  const plural = `${kind.toLowerCase()}s`;
  const group = 'bundles.example.com';
  const versions = [
    { name: 'v1', served: true, storage: true, ...version, schema: { openAPIV3Schema: { type: 'object', ...schema } } },
  ];
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
  const spec = { group, scope: 'Namespaced', names, versions, ...more };
  return make('apiextensions', 'v1', 'CustomResourceDefinition', `${plural}.${group}`, { spec });
}

/** An object of such a definition. */
function instance(kind: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'bundles.example.com/v1', kind, metadata: { name: 'one', namespace: 'default' }, spec };
}

/** A definition for each expression library of later releases, with an object that obeys it. */
function ruled(make: Make): Bundle[] {
  return RULES.map(([about, rule, spec]) => {
    const kind = `R${about.replaceAll('-', '')}`;
    const rules = { 'x-kubernetes-validations': [rule] };
    const schema = { properties: { spec: { type: 'object', properties: RULED, ...rules } } };
    return { name: `rules with ${about}`, objects: [definition(make, kind, schema), instance(kind, spec)] };
  });
}

const PARAGRAPH =
  'What this field is for, which values it has, what happens without it, and which other fields it needs. ';

/**
 * A schema as wide and deep as the schemas of large operators, and a value for it.
 * @param depth the number of levels below
 */
function wide(width: number, depth: number): { schema: JsonObject; value: JsonObject } {
  const properties: JsonObject = {};
  const value: JsonObject = {};
  const add = (name: string, schema: JsonObject, one: JsonObject[string]) => {
    properties[name] = { description: PARAGRAPH, ...schema };
    value[name] = one;
  };
  for (let i = 0; i < width; i++) {
    add(`name${i}`, { type: 'string', pattern: '^[a-z]+$', minLength: 1, maxLength: 63 }, 'abc');
    add(`count${i}`, { type: 'integer', format: 'int32', minimum: 0, maximum: 100, default: 7 }, i);
    add(`mode${i}`, { type: 'string', enum: ['Always', 'Never'], default: 'Always' }, 'Never');
    add(`port${i}`, { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }, 'http');
    add(`any${i}`, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, { a: [1, { b: 'c' }] });
    add(`time${i}`, { type: 'string', format: 'date-time', nullable: true }, '2026-01-02T03:04:05Z');
    add(`map${i}`, { type: 'object', additionalProperties: { type: 'string' } }, { a: 'b' });
    add(`set${i}`, { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }, ['a', 'b']);
    if (depth === 0) continue;
    const inner = wide(1, depth - 1);
    add(`part${i}`, inner.schema, inner.value);
    const item = wide(1, depth - 1);
    const own = item.schema['properties'] as JsonObject;
    const keyed = { ...item.schema, required: ['key'], properties: { key: { type: 'string' }, ...own } };
    add(
      `parts${i}`,
      { type: 'array', items: keyed, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] },
      [{ key: 'x', ...item.value }],
    );
  }
  return { schema: { type: 'object', properties }, value };
}

/** Definitions that test other features than rules. `caBundle` is in base64. */
export function definitionBundles(
  naming: Naming,
  webhook: { readonly url: string; readonly caBundle: string },
): Bundle[] {
  const make = maker(naming);
  const large = wide(6, 4);
  const middle = wide(3, 1);
  const simple = {
    properties: { spec: { type: 'object', properties: { color: text, replicas: { type: 'integer' } } } },
  };
  const status = { type: 'object', properties: { replicas: { type: 'integer' } } };
  const conversion = {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: webhook.url, caBundle: webhook.caBundle } },
  };
  const older = { name: 'v1alpha1', served: true, storage: false, deprecated: true, deprecationWarning: 'use v1' };
  const converted = definition(make, 'Converted', simple, { conversion });
  const versions = (converted['spec'] as JsonObject)['versions'] as JsonObject[];
  versions.push({ ...older, schema: versions[0]!['schema']! });
  const bundles: Bundle[] = [
    ...ruled(make),
    {
      name: '300 KB of schemas',
      isLarge: true,
      objects: [definition(make, 'Large', { properties: { spec: large.schema } }), instance('Large', large.value)],
    },
    {
      name: 'schemas of middle size',
      objects: ['Engine', 'Pool'].flatMap((kind) => [
        definition(make, kind, { properties: { spec: middle.schema } }),
        instance(kind, middle.value),
      ]),
    },
    {
      name: 'a conversion webhook',
      objects: [
        converted,
        instance('Converted', { color: 'red' }),
        {
          ...instance('Converted', { color: 'blue' }),
          apiVersion: 'bundles.example.com/v1alpha1',
          metadata: { name: 'two', namespace: 'default' },
        },
      ],
    },
    {
      name: 'selectable fields, columns and subresources',
      objects: [
        definition(
          make,
          'Selected',
          { properties: { ...simple.properties, status } },
          {},
          {
            selectableFields: [{ jsonPath: '.spec.color' }],
            additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 }],
            subresources: {
              status: {},
              scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
            },
          },
        ),
        instance('Selected', { color: 'red', replicas: 2 }),
      ],
    },
  ];
  // The words of the profile replace the upstream words.
  return JSON.parse(JSON.stringify(bundles).replaceAll('"x-kubernetes-', `"${naming.extensionPrefix}`)) as Bundle[];
}

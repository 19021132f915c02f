import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { oddValue } from '../odd-values.ts';
import type { Random } from '../random.ts';

const NAMES = [
  'a',
  'b',
  'replicas',
  'name',
  'x-y',
  'in',
  'kind',
  'items',
  'ümlaut',
  '$ref',
  '__proto__',
  'constructor',
];

const PATTERNS = ['^[a-z]+$', '(a+)+$', '^(a|a)*$', '\\d{1,3}', '(?i)x', '^.{0,1000}$', '\\p{L}+', '(?<n>x)'];
const FORMATS = ['date-time', 'duration', 'ipv4', 'cidr', 'uri', 'byte', 'email', 'uuid', 'int32', 'int64', 'nothing'];

/** Rules for the values of a type. */
const RULES: ReadonlyMap<string, readonly string[]> = new Map([
  ['object', ['self == oldSelf', 'dyn(self) == self']],
  [
    'array',
    [
      'self == oldSelf',
      'self.size() < 100',
      'self.exists(x, self.all(y, x == y))',
      'self.all(x, self.all(y, self.all(z, x == y || y == z)))',
      'self.map(x, x).size() >= 0',
      'self.filter(x, x == x).size() == self.size()',
      'self[0] == self[self.size() - 1]',
    ],
  ],
  [
    'string',
    [
      'self == oldSelf',
      'self.matches("^(a|a)*$")',
      'self.matches("(a+)+$")',
      'self.matches(self)',
      'self.contains(self)',
      'self.split("").size() == self.size()',
      'self.startsWith("a") || self.endsWith("b")',
      'int(self) > 0',
      'url(self).getHost() == "x"',
      'duration(self) < duration("2s")',
      'timestamp(self).getFullYear() == 2020',
      `"${'a'.repeat(2000)}".matches("a*a*a*a*a*b") || self == ""`,
    ],
  ],
  [
    'integer',
    ['self > 0 && self < 9223372036854775807', 'self + self == 2 * self', '1 / self == 0', 'self >= oldSelf'],
  ],
  ['number', ['self > 0.5', 'self * self < 1e308', 'string(self).size() < 10']],
  ['boolean', ['self', '!self || oldSelf']],
]);

/** Rules that are wrong or unusual in a definition. */
const ODD_RULES: readonly string[] = [
  'self.all(x, x != "")',
  'self["a"] == 1',
  '"x" in self',
  'self.isSorted()',
  'self.sum() == self.max()',
  'true',
  'self.metadata.name.startsWith("c")',
  '(',
  'self.__in__ == 1',
  'unknown(self)',
  `${'('.repeat(300)}true${')'.repeat(300)}`,
  'self.all(x, x.all(y, y.matches("(a+)+")))',
];

/** Makes a schema that is nearly structural. It mostly has common forms, and sometimes a forbidden one. */
export function makeSchema(random: Random, depth = 0): JsonObject {
  const schema = random.weighed<JsonObject>(
    [depth === 0 ? 1e9 : depth < 4 ? 5 : 0, () => objectSchema(random, depth)],
    [depth < 4 ? 3 : 0, () => listSchema(random, depth)],
    [
      depth < 4 ? 2 : 0,
      () => ({ type: 'object', additionalProperties: makeSchema(random, depth + 1), ...size('Properties', random) }),
    ],
    [4, () => textSchema(random)],
    [3, () => numberSchema(random)],
    [1, () => ({ type: 'boolean' })],
    [1, () => ({ 'x-orch-int-or-string': true })],
    [1, () => ({ type: 'object', 'x-orch-preserve-unknown-fields': true })],
    [0.3, () => ({ type: 'object', 'x-orch-embedded-resource': true, 'x-orch-preserve-unknown-fields': true })],
  );
  if (random.chance(0.1)) schema['nullable'] = true;
  if (random.chance(0.07)) schema['x-orch-validations'] = rules(random, schema['type'] as string);
  if (depth > 0 && random.chance(0.15)) setDefault(random, schema);
  if (random.chance(0.03)) schema[random.pick(['anyOf', 'oneOf', 'allOf'])] = [limits(random), limits(random)];
  if (random.chance(0.01)) schema['not'] = limits(random);
  if (random.chance(0.05)) schema['description'] = 'd'.repeat(random.pick([10, 2_000]));
  return schema;
}

/** Sets a default, mostly a valid one. It does not change schemas with further restrictions. */
function setDefault(random: Random, schema: JsonObject): void {
  const [value] = { object: [{}], array: [[]], boolean: [true] }[schema['type'] as string] ?? [];
  if (random.chance(0.03)) schema['default'] = oddValue(random);
  else if (value !== undefined && Object.keys(schema).length <= 2) schema['default'] = value;
}

function rules(random: Random, type: string | undefined): JsonValue {
  const known = RULES.get(type ?? '') ?? ['true'];
  return Array.from({ length: random.pick([1, 1, 2, 10]) }, (_, i): JsonValue => {
    const rule = random.pick(random.chance(0.03) ? ODD_RULES : known);
    const message = random.chance(0.03) ? random.pick(['\n', '']) : 'no';
    return { rule: i === 0 ? rule : `${rule} || ${i} < 0`, ...(random.chance(0.3) && { message }) };
  });
}

function limits(random: Random): JsonObject {
  return random.pick<JsonObject>([
    { required: ['a'] },
    { properties: { a: { minimum: 1 } } },
    { minLength: 1 },
    { pattern: random.pick(PATTERNS) },
    { enum: ['a', 1, null] },
    {},
  ]);
}

function size(of: 'Items' | 'Length' | 'Properties', random: Random): JsonObject {
  return {
    ...(random.chance(0.8) && { [`max${of}`]: random.pick([1, 4, 10, 10, 20, 1_000]) }),
    ...(random.chance(0.05) && { [`min${of}`]: random.pick([0, 1, 3]) }),
  };
}

function objectSchema(random: Random, depth: number): JsonObject {
  const names = Array.from({ length: random.pick([1, 2, 3, 6]) }, () => random.pick(NAMES));
  const properties = Object.fromEntries(names.map((name) => [name, makeSchema(random, depth + 1)]));
  return {
    type: 'object',
    properties,
    ...(random.chance(0.1) && { required: [random.pick(names)] }),
    ...(random.chance(0.1) && { 'x-orch-preserve-unknown-fields': true }),
    ...(random.chance(0.1) && { 'x-orch-map-type': random.pick(['atomic', 'granular']) }),
  };
}

function listSchema(random: Random, depth: number): JsonObject {
  const bounds = size('Items', random);
  return random.weighed<JsonObject>(
    [3, () => ({ type: 'array', items: makeSchema(random, depth + 1), ...bounds })],
    [1, () => ({ type: 'array', items: textSchema(random), 'x-orch-list-type': 'set', ...bounds })],
    [
      2,
      () => ({
        type: 'array',
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, a: makeSchema(random, depth + 2) },
        },
        ...bounds,
      }),
    ],
  );
}

function textSchema(random: Random): JsonObject {
  return {
    type: 'string',
    ...size('Length', random),
    ...(random.chance(0.15) && { pattern: random.chance(0.03) ? '[' : random.pick(PATTERNS) }),
    ...(random.chance(0.15) && { format: random.pick(FORMATS) }),
    ...(random.chance(0.1) && { enum: ['a', 'b'] }),
  };
}

function numberSchema(random: Random): JsonObject {
  return {
    type: random.pick(['integer', 'number']),
    ...(random.chance(0.2) && { minimum: random.pick([0, -1, 0.5]) }),
    ...(random.chance(0.2) && { maximum: random.pick([10, 9007199254740991, 1e308]) }),
    ...(random.chance(0.1) && { multipleOf: random.pick([1, 2, 0.1]) }),
    ...(random.chance(0.1) && { format: random.pick(['int32', 'int64', 'float', 'double']) }),
  };
}

/** Makes a value that mostly fits the schema. */
export function makeValue(random: Random, schema: JsonObject, depth = 0): JsonValue {
  if (random.chance(0.02)) return oddValue(random);
  const { type, properties, items, additionalProperties, nullable } = schema as {
    type?: string;
    properties?: Record<string, JsonObject>;
    items?: JsonObject;
    additionalProperties?: JsonObject;
    nullable?: boolean;
  };
  if (nullable === true && random.chance(0.1)) return null;
  if (type === 'object') {
    const fields = Object.entries(properties ?? {}).filter(() => random.chance(0.8));
    const extra =
      additionalProperties === undefined
        ? random.chance(0.1)
          ? { unknown: 1 }
          : {}
        : {
            a: makeValue(random, additionalProperties, depth + 1),
            b: makeValue(random, additionalProperties, depth + 1),
          };
    return {
      ...Object.fromEntries(fields.map(([name, field]) => [name, makeValue(random, field, depth + 1)])),
      ...extra,
      ...(schema['x-orch-embedded-resource'] === true && {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: random.pick(['ok', 'Not Ok', '']) },
      }),
    };
  }
  if (type === 'array' && items !== undefined) {
    const length = depth > 3 ? 1 : random.pick([0, 1, 2, 2, 5, 40]);
    return Array.from({ length }, () => makeValue(random, items, depth + 1));
  }
  if (type === 'string')
    return random.pick(['a', 'b', 'aaaa', '', '2020-01-01T00:00:00Z', '1s', '10.0.0.1', 'a'.repeat(200)]);
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'integer') return random.pick([0, 1, 2, 10, -1]);
  return random.pick([0, 1, 0.5, 1e21]);
}

import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { atOnce } from '#base/time/steps.ts';
import { validateListItems } from './list-items.ts';
import { type Judged, judgedValue } from './testing/judged-schemas.ts';
import { compiled, enoughWork } from './testing/schemas.ts';
import { validateValue } from './validate-value.ts';

/** The validator accepts only an object's own names. Schemas are checked when a definition is written. */
const OPTIONS = {
  strict: false,
  ownProperties: true,
  validateFormats: false,
  validateSchema: false,
  multipleOfPrecision: 15,
} as const;

type Schema = Readonly<Record<string, unknown>>;

/** Integers that 64 bits hold: see the table below. */
const INT64 = { anyOf: [{ not: { type: 'number' } }, { minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 }] };

/**
 * A structural schema in the form of ajv. Exclusive limits, nullable values, values that may be an integer or a string,
 * and sets are written differently there. With `isBare` the keywords with intended differences are left out.
 */
function forAjv(schema: Schema, isBare: boolean): Schema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, nullable, type, properties, ...others } = schema;
  const { items, additionalProperties, allOf, anyOf, oneOf, not, enum: values, ...own } = others;
  const below = (each: unknown) => forAjv(each as Schema, isBare);
  const all = (schemas: unknown) => (schemas as Schema[]).map(below);
  const types = own['x-orch-int-or-string'] === true ? ['integer', 'string'] : type === undefined ? [] : [type];
  const groups = [
    ...(allOf === undefined ? [] : [{ allOf: all(allOf) }]),
    ...(anyOf === undefined ? [] : [{ anyOf: all(anyOf) }]),
    ...(oneOf === undefined ? [] : [{ oneOf: all(oneOf) }]),
    ...(not === undefined ? [] : [{ not: below(not) }]),
  ];
  const alternatives = isBare ? groups : [{ anyOf: [{ type: 'null' }, { allOf: groups }] }];
  const together = [
    ...(groups.length > 0 ? alternatives : []),
    ...(types.includes('integer') && !isBare ? [INT64] : []),
  ];
  return {
    ...own,
    ...(types.length > 0 && { type: nullable === true ? [...types, 'null'] : types }),
    ...(minimum !== undefined && { [exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum !== undefined && { [exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
    ...(own['x-orch-list-type'] === 'set' && { uniqueItems: true }),
    ...(items !== undefined && { items: below(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: below(additionalProperties) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties as Schema).map(([name, each]) => [name, below(each)])),
    }),
    ...(Array.isArray(values) && (isBare || values.length > 0) && { enum: values }),
    ...(together.length > 0 && { allOf: together }),
  };
}

/** The result of ajv. `isBare` means for the unmodified schema. */
function ajvAccepts({ schema, value }: Judged, isBare = false): boolean | 'no schema' {
  const given = forAjv(JSON.parse(schema) as Schema, isBare);
  const judge = new Ajv(OPTIONS);
  try {
    return judge.validate(given, JSON.parse(value));
  } catch {
    return 'no schema';
  }
}

/** The server's result for the types and limits of a value, and for its sets. */
function serverAccepts({ schema, value }: Judged): boolean {
  const parsedSchema = parseJson(schema).value;
  assert.ok(isObject(parsedSchema));
  const own = compiled(parsedSchema satisfies JsonObject);
  const parsed = parseJson(value).value;
  const work = enoughWork();
  if (atOnce(validateValue(own, parsed, work)).length > 0) return false;
  return atOnce(validateListItems(own, parsed, work)).length === 0;
}

/**
 * Intended differences: the result of the server, the result of ajv for the same schema, and the reason why the server
 * is right.
 */
const MEANT: readonly (readonly [
  why: string,
  schema: string,
  value: string,
  server: boolean,
  ajv: boolean | 'no schema',
])[] = [
  [
    'null in a nullable field does not need to match allOf',
    '{"type":"string","nullable":true,"allOf":[{"enum":["a"]}]}',
    'null',
    true,
    false,
  ],
  ['an empty enum allows all values', '{"type":"string","enum":[]}', '"a"', true, 'no schema'],
  [
    'an integer has at most 64 bits, because clients cannot read larger ones',
    '{"type":"integer"}',
    '9223372036854775808',
    false,
    true,
  ],
  ['an integer with an exponent must be exact as a double', '{"type":"integer"}', '1e17', false, true],
  [
    'integers are compared exactly, but ajv compares doubles',
    '{"type":"integer","maximum":9007199254740992}',
    '9007199254740993',
    false,
    true,
  ],
  [
    'a large integer is checked exactly for multipleOf',
    '{"type":"integer","multipleOf":2}',
    '9007199254740993',
    false,
    true,
  ],
  ['a fraction near zero is not a multiple', '{"type":"number","multipleOf":1}', '1e-300', false, true],
  [
    'a fraction is a multiple within the precision of doubles',
    '{"type":"number","multipleOf":0.01}',
    '4.35',
    true,
    false,
  ],
  [
    'a property may have any name',
    '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
    '{"__proto__":1}',
    false,
    true,
  ],
  [
    'items of a set are compared by properties with any name',
    '{"type":"array","items":{"type":"object"},"x-orch-list-type":"set"}',
    '[{"constructor":[1]},{"constructor":[1]}]',
    false,
    true,
  ],
  [
    'patterns have another dialect, which needs linear time',
    '{"type":"string","pattern":"(?i)a"}',
    '"A"',
    true,
    'no schema',
  ],
  ['only ASCII spaces match \\s in that dialect', '{"type":"string","pattern":"^\\\\s$"}', '"\\u00a0"', false, true],
  ['only a line feed ends a line in that dialect', '{"type":"string","pattern":"."}', '"\\u2028"', true, false],
  [
    'formats are not known to ajv here; formats.test.ts tests them',
    '{"type":"string","format":"ipv4"}',
    '"a"',
    false,
    true,
  ],
  ['numeric formats limit numbers', '{"type":"integer","format":"int32"}', '4294967296', false, true],
];

describe('validation of custom values, compared with ajv', function () {
  this.timeout(20_000);

  it('gives the same result for random schemas and values', () => {
    const said = new Set<boolean>();
    fc.assert(
      fc.property(judgedValue, (judged) => {
        const server = serverAccepts(judged);
        said.add(server);
        assert.equal(ajvAccepts(judged), server);
      }),
      { numRuns: 1500 },
    );
    assert.equal(said.size, 2, 'some are accepted, and some are not');
  });

  for (const [why, schema, value, server, ajv] of MEANT)
    it(`differs on purpose: ${why}`, () => {
      assert.equal(serverAccepts({ schema, value }), server);
      assert.equal(ajvAccepts({ schema, value }, true), ajv);
    });
});

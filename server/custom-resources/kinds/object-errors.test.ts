import assert from 'node:assert/strict';
import type { FieldError } from '#base/errors/field-error.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { atOnce } from '#base/time/steps.ts';
import type { Checks } from '../schema/check-work.ts';
import { compiled } from '../schema/testing/schemas.ts';
import { objectErrors } from './object-errors.ts';

const text = { type: 'string' };
const list = (items: object) => ({ type: 'array', items });
const map = (additionalProperties: object) => ({ type: 'object', additionalProperties });
const times = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const schemaOf = (v: object) => compiled({ type: 'object', properties: { v } });
const objectOf = (v: JsonValue): JsonObject => ({ kind: 'X', apiVersion: 'a/v1', metadata: { name: 'x' }, v });
const textsOf = (schema: object, value: JsonValue, old?: JsonObject) =>
  atOnce(objectErrors(schemaOf(schema), objectOf(value), old)).map((error) => error.text);

/** `anyOf`, eight wide and `depth` deep, with different schemas. */
function nested(depth: number, leaf: (i: number) => object, i = 0): object {
  return { anyOf: times(8, (k) => (depth === 1 ? leaf(i * 8 + k) : nested(depth - 1, leaf, i * 8 + k))) };
}

/** A text of two letters whose order does not repeat. */
function letters(length: number): string {
  let state = 1;
  return times(length, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 'ab'[(state >> 16) & 1];
  }).join('');
}

const TOO_MUCH = /asks for more work on this object than the server does for one/;

/** The longest of the patterns with which one user blocked a replica. */
const LONG = '^[a-z0-9.]{1,1000}(\\.[a-z]{1,63})*$|^.*[a-z]{1,900}x$';
const keys = times(1_000, (i) => `k${i}`);
const keyed = {
  type: 'array',
  'x-orch-list-type': 'map',
  'x-orch-list-map-keys': keys,
  items: { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, { ...text, default: '' }])) },
};

/** Schemas that cause the most work within the limits of the size of a definition and of a body. */
const ATTACKS: readonly [what: string, schema: object, value: JsonValue, isTooMuch: boolean][] = [
  ['a long pattern', { ...text, pattern: LONG }, `${'a'.repeat(60_000)}!`, false],
  ['a long pattern on a long string', { ...text, pattern: `${LONG}|(.*a){9}b` }, 'ab.x'.repeat(700_000), false],
  ['a pattern with many states', { ...text, pattern: '[ab]*a[ab]{900}c' }, letters(60_000), true],
  [
    'many long patterns',
    { ...text, allOf: times(25, (i) => ({ pattern: `^.{1,${900 + i}}x.{1,900}y$` })) },
    'x'.repeat(200_000),
    true,
  ],
  [
    'nested alternatives with patterns',
    { ...text, ...nested(5, (i) => ({ pattern: `^(a+)+$|^${i}$` })) },
    `${'a'.repeat(500_000)}!`,
    true,
  ],
  [
    'the same pattern in all alternatives',
    { ...text, ...nested(5, () => ({ pattern: '^(a+)+$' })) },
    `${'a'.repeat(500)}!`,
    true,
  ],
  ['nested alternatives', { ...text, ...nested(5, (i) => ({ maxLength: i % 7 })) }, 'a'.repeat(500_000), false],
  [
    'wide alternatives',
    list({ ...text, oneOf: times(9_000, (i) => ({ minLength: i + 2 })) }),
    times(20_000, () => 'x'),
    true,
  ],
  [
    'alternatives of lists',
    { ...list(text), anyOf: times(300, (i) => ({ items: { pattern: `x${i}$` } })) },
    times(60_000, (i) => `v${i}`),
    true,
  ],
  [
    'many large minimum lengths',
    { ...text, allOf: times(20_000, () => ({ minLength: 2_000_000 })) },
    'é'.repeat(2_500_000),
    true,
  ],
  [
    'a map',
    map({ ...text, pattern: '^(a|aa|aaa)*b$' }),
    Object.fromEntries(times(60_000, (i) => [`k${i}`, `${'a'.repeat(i % 30)}b`])),
    false,
  ],
  ['an enum', { ...text, enum: times(200_000, (i) => `value${i}`) }, 'no', false],
  [
    'an enum for the items of a list',
    list({ ...text, enum: times(200_000, (i) => `value${i}`) }),
    times(60_000, (i) => `value${i}`),
    false,
  ],
  [
    'an enum that no item matches',
    list({ ...text, enum: times(200_000, (i) => `value${i}`) }),
    times(60_000, () => 'no'),
    false,
  ],
  [
    'an enum of objects',
    list({ type: 'object', enum: times(500, (i) => ({ a: times(40, () => i) })) }),
    times(6_000, () => ({ a: times(40, () => 7) })),
    false,
  ],
  ['a set', { ...list(text), 'x-orch-list-type': 'set' }, times(200_000, (i) => `v${i}`), false],
  ['a set with duplicates', { ...list(text), 'x-orch-list-type': 'set' }, times(400_000, (i) => `v${i >> 1}`), false],
  ['many keys', keyed, times(100_000, () => ({})), true],
  ['required names', list({ type: 'object', required: keys }), times(100_000, () => ({})), false],
  ['formats', { ...text, anyOf: times(2_000, () => ({ format: 'duration' })) }, '1'.repeat(4_096), true],
  [
    'many embedded objects',
    list({ type: 'object', 'x-orch-embedded-resource': true, 'x-orch-preserve-unknown-fields': true }),
    times(150_000, () => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' } })),
    true,
  ],
];

/**
 * The results of checks, with their longest time without a pause and their total time, in milliseconds of processor
 * time.
 */
function timesOf(checks: Checks<readonly FieldError[]>) {
  let longest = 0;
  let total = 0;
  let errors: readonly FieldError[] | undefined;
  while (errors === undefined) {
    const before = process.cpuUsage();
    errors = checks.next().value ?? undefined;
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    total += (user + system) / 1000;
  }
  return { longest, total, texts: errors.map((error) => error.text) };
}

/** Ten times the duration of a step, and of all steps, on a machine at rest, in milliseconds. */
const LONGEST_STEP = 200;
const LONGEST = 15_000;

describe('the validation of an object by its schema', function () {
  this.timeout(120_000);

  for (const [what, schema, value, isTooMuch] of ATTACKS) {
    it(`has bounded cost, and does not block other work: ${what}`, () => {
      const compiledSchema = schemaOf(schema);
      const once = () => timesOf(objectErrors(compiledSchema, objectOf(value), undefined));
      const first = once();
      const isQuick = first.longest < LONGEST_STEP && first.total < LONGEST;
      // The machine may have been busy, and code that runs for the first time is compiled during the check.
      const { longest, total, texts } = isQuick ? first : once();
      assert.equal(
        texts.some((line) => TOO_MUCH.test(line)),
        isTooMuch,
        `${texts.join().slice(0, 300)}`,
      );
      assert.ok(texts.length <= 1_002, `${texts.length} errors`);
      assert.ok(longest < LONGEST_STEP, `${longest} ms`);
      assert.ok(total < LONGEST, `${total} ms`);
    });
  }

  it('is not stopped by its cost limit for usual objects', () => {
    const name = {
      ...text,
      maxLength: 253,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    };
    const port = { 'x-orch-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] };
    const properties = { name, port, kind: { ...text, enum: ['A', 'B'] } };
    const items = { type: 'object', properties, required: ['name'] };
    const named = { ...list(items), 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['name'] };
    // One and a half megabytes, which is more than can be stored.
    assert.deepEqual(
      textsOf(
        named,
        times(25_000, (i) => ({ name: `name-${i}.example.com`, port: i, kind: 'A' })),
      ),
      [],
    );
  });

  it('skips the pattern of a string that is too long', () => {
    const schema = { ...text, maxLength: 10, pattern: '[ab]*a[ab]{900}c' };
    assert.deepEqual(textsOf(schema, 'ab'.repeat(100_000)), ['v: Too long: may not be longer than 10']);
  });

  it('gives the same result each time', () => {
    const schema = { ...list({ ...text, enum: times(5_000, (i) => `v${i}`), pattern: '(a|b)*a(a|b){9}c|v' }) };
    const left = (length: number) =>
      textsOf(
        schema,
        times(length, () => 'v1'),
      ).length;
    assert.deepEqual([left(9), left(9), left(9)], [0, 0, 0]);
  });

  it('allows stored objects that cost too much to stay unchanged, and to be deleted', () => {
    const schema = { ...text, pattern: '[ab]*a[ab]{900}c' };
    const value = letters(60_000);
    const old = { v: value, metadata: { name: 'x', finalizers: ['example.com/f'] } };
    assert.equal(textsOf(schema, value, old).length, 0);
    assert.match(textsOf(schema, `${value}b`, old).join().slice(0, 300), TOO_MUCH);
    assert.match(textsOf(schema, value).join().slice(0, 300), TOO_MUCH);
  });

  it('does not run rules if a value is not in its enum', () => {
    const schema = { ...text, enum: ['a'], 'x-orch-validations': [{ rule: 'false' }] };
    assert.deepEqual(textsOf(schema, 'b'), [
      'v: Unsupported value: "b": supported values: "a"',
      '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });
});

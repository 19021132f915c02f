import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { atOnce } from '#base/time/steps.ts';
import { pruneObject } from './prune.ts';
import { Ratchet } from './ratchet.ts';
import { anyObject, anySchema, compiled, enoughWork } from './testing/schemas.ts';
import { validateValue } from './validate-value.ts';

const short = { type: 'string', maxLength: 3 };
const keyed = { 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['k'] };
const SCHEMA = compiled({
  type: 'object',
  required: ['needed'],
  properties: {
    needed: { type: 'string' },
    s: short,
    n: { type: 'integer', maximum: 10 },
    e: { type: 'string', enum: ['a'] },
    p: { type: 'string', pattern: '^a+$' },
    m: { type: 'object', maxProperties: 1, additionalProperties: short },
    l: { type: 'array', maxItems: 2, items: short },
    set: { type: 'array', 'x-orch-list-type': 'set', items: short },
    map: { type: 'array', ...keyed, items: { type: 'object', properties: { k: short, v: short } } },
    o: { type: 'object', required: ['x'], properties: { x: short, y: short }, allOf: [{ required: ['z'] }] },
    free: { type: 'object', maxProperties: 0, 'x-orch-preserve-unknown-fields': true },
  },
});

/** The errors after a change. An error in an unchanged part is left out. */
const CHANGES: [about: string, before: string, after: string, errors: string[]][] = [
  ['an unchanged value', '{"s":"long"}', '{"s":"long"}', []],
  ['an unchanged object', '{"o":{"y":"long"}}', '{"o":{"y":"long"},"s":"a"}', ['needed']],
  ['a changed value', '{"s":"long"}', '{"s":"longer"}', ['s', 'needed']],
  ['a new value', '{}', '{"s":"long"}', ['s', 'needed']],
  [
    'unchanged values that violate maximum, enum or pattern',
    '{"n":50,"e":"x","p":"x"}',
    '{"n":50,"e":"x","p":"x","s":"a"}',
    ['needed'],
  ],
  [
    'changed values that violate maximum, enum or pattern',
    '{"n":50,"e":"x","p":"x"}',
    '{"n":51,"e":"y","p":"y"}',
    ['e', 'n', 'p', 'needed'],
  ],
  ['unchanged values of a map', '{"m":{"a":"long"}}', '{"m":{"a":"long"},"s":"a"}', ['needed']],
  ['a map with a new entry', '{"m":{"a":"long"}}', '{"m":{"a":"long","b":"x"}}', ['m', 'needed']],
  ['a map with a changed value', '{"m":{"a":"long"}}', '{"m":{"a":"longer"}}', ['m.a', 'needed']],
  ['unchanged items of a changed list', '{"l":["long"]}', '{"l":["long","x"]}', ['l[0]', 'needed']],
  ['items of an unchanged list', '{"l":["long","a","b"]}', '{"l":["long","a","b"],"s":"a"}', ['needed']],
  ['unchanged items of a changed set', '{"set":["long"]}', '{"set":["long","x"]}', ['set[0]', 'needed']],
  [
    'unchanged items of a reordered map list',
    '{"map":[{"k":"a","v":"long"},{"k":"b"}]}',
    '{"map":[{"k":"b","v":"x"},{"k":"a","v":"long"}]}',
    ['needed'],
  ],
  [
    'a changed item of a map list',
    '{"map":[{"k":"a","v":"long"}]}',
    '{"map":[{"k":"a","v":"longer"}]}',
    ['map[0].v', 'needed'],
  ],
  ['a missing member of a changed object', '{"o":{"y":"a"}}', '{"o":{"y":"b"}}', ['<nil>', 'o.x', 'o.z', 'needed']],
  ['members that the schema does not contain', '{"free":{"a":1}}', '{"free":{"a":1}}', ['free', 'needed']],
];

const read = (json: string) => parseJson(json).value;
const problems = (value: JsonValue, old?: JsonValue) =>
  atOnce(validateValue(SCHEMA, value, enoughWork(), { old })).map(({ field }) => field);

describe('an error in an old value', () => {
  for (const [about, before, after, errors] of CHANGES)
    it(`is ${errors.length < 2 ? 'ignored' : 'reported'}: ${about}`, () => {
      assert.deepEqual(problems(read(after), read(before)).sort(), [...errors].sort());
    });

  it('is reported on create', () => {
    assert.deepEqual(problems(read('{"s":"long"}')).sort(), ['needed', 's']);
  });

  it('is only left out: ratcheting adds no other errors', () => {
    fc.assert(
      fc.property(anySchema(), anyObject(), anyObject(), (schema, object, old) => {
        const own = compiled(schema);
        const texts = (before?: JsonValue) =>
          atOnce(validateValue(own, object, enoughWork(), { old: before })).map(({ text }) => text);
        const alone = texts();
        assert.ok(texts(old).every((text) => alone.includes(text)));
      }),
    );
  });

  it('is ignored for any equal value if the schema contains all of it', () => {
    fc.assert(
      fc.property(anySchema(), anyObject(), (schema, object) => {
        const own = compiled(JSON.parse(JSON.stringify(schema).replaceAll('preserve-unknown', 'nothing')));
        pruneObject(own, object, false);
        const { metadata: _, ...rest } = object;
        if (JSON.stringify(schema).includes('embedded')) return;
        assert.deepEqual(new Ratchet().isSame(own, rest, cloneJson(rest)), true);
      }),
    );
  });
});

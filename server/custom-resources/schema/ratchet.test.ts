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
  ['a value that is unchanged', '{"s":"long"}', '{"s":"long"}', []],
  ['an object that is unchanged', '{"o":{"y":"long"}}', '{"o":{"y":"long"},"s":"a"}', ['needed']],
  ['a value that changes', '{"s":"long"}', '{"s":"longer"}', ['s', 'needed']],
  ['a value that is new', '{}', '{"s":"long"}', ['s', 'needed']],
  ['other limits', '{"n":50,"e":"x","p":"x"}', '{"n":50,"e":"x","p":"x","s":"a"}', ['needed']],
  ['other limits that change', '{"n":50,"e":"x","p":"x"}', '{"n":51,"e":"y","p":"y"}', ['e', 'n', 'p', 'needed']],
  ['the values of a map', '{"m":{"a":"long"}}', '{"m":{"a":"long"},"s":"a"}', ['needed']],
  ['a map that grows', '{"m":{"a":"long"}}', '{"m":{"a":"long","b":"x"}}', ['m', 'needed']],
  ['a map of which a value changes', '{"m":{"a":"long"}}', '{"m":{"a":"longer"}}', ['m.a', 'needed']],
  ['items of a list that changes', '{"l":["long"]}', '{"l":["long","x"]}', ['l[0]', 'needed']],
  ['items of a list that is unchanged', '{"l":["long","a","b"]}', '{"l":["long","a","b"],"s":"a"}', ['needed']],
  ['items of a set that changes', '{"set":["long"]}', '{"set":["long","x"]}', ['set[0]', 'needed']],
  [
    'items of a list that is a map',
    '{"map":[{"k":"a","v":"long"},{"k":"b"}]}',
    '{"map":[{"k":"b","v":"x"},{"k":"a","v":"long"}]}',
    ['needed'],
  ],
  [
    'an item of a list that is a map, which changes',
    '{"map":[{"k":"a","v":"long"}]}',
    '{"map":[{"k":"a","v":"longer"}]}',
    ['map[0].v', 'needed'],
  ],
  ['a member that is missing', '{"o":{"y":"a"}}', '{"o":{"y":"b"}}', ['<nil>', 'o.x', 'o.z', 'needed']],
  ['members that the schema does not name', '{"free":{"a":1}}', '{"free":{"a":1}}', ['free', 'needed']],
];

const read = (json: string) => parseJson(json).value;
const problems = (value: JsonValue, old?: JsonValue) =>
  atOnce(validateValue(SCHEMA, value, enoughWork(), { old })).map(({ field }) => field);

describe('what was already wrong', () => {
  for (const [about, before, after, errors] of CHANGES)
    it(`${errors.length < 2 ? 'may stay' : 'counts'}: ${about}`, () => {
      assert.deepEqual(problems(read(after), read(before)).sort(), [...errors].sort());
    });

  it('counts on create', () => {
    assert.deepEqual(problems(read('{"s":"long"}')).sort(), ['needed', 's']);
  });

  it('is all that is left out: what is wrong with a changed value is wrong with it alone', () => {
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

  it('is the same value, whatever it is, where the schema names all of it', () => {
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

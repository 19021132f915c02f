import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isObject, JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

/** Before, patch, after. The first rows are the examples of RFC 7396, appendix A, that are objects. */
const ROWS: [before: JsonObject, patch: JsonObject, after: JsonObject][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: 1 }, {}, { a: 1 }],
  [{ a: { x: 1 } }, { a: {} }, { a: { x: 1 } }],
  [{ a: 1 }, { b: null }, { a: 1 }],
  [{ v: ['x'] }, { v: ['get', null] }, { v: ['get', null] }],
  [{ v: ['x'] }, { v: [{ a: null, b: [{ c: null }] }, [{ d: null }]] }, { v: [{ b: [{}] }, [{}]] }],
  [{}, { a: { v: [{ a: null, b: 1 }] } }, { a: { v: [{ b: 1 }] } }],
  [{ v: { x: 1 } }, { v: [{ a: null }] }, { v: [{ a: null }] }],
];

const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.string());
const { document } = fc.letrec<{ value: JsonValue; document: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    fc.integer(),
    fc.string(),
    fc.boolean(),
    // A patch cannot set a null in an object inside a list.
    fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer()), fc.constant({}))),
    tie('document'),
  ),
  document: fc.dictionary(name, tie('value'), { maxKeys: 5, depthIdentifier: 'json' }),
}));

describe('merge patch', () => {
  for (const [before, patch, after] of ROWS) {
    it(`${JSON.stringify(before)} with ${JSON.stringify(patch)}`, () => {
      const untouched = structuredClone(before);
      assert.deepEqual(applyMergePatch(before, patch), after);
      assert.deepEqual(before, untouched);
    });
  }

  it('refuses a patch that is not an object', () => {
    assert.throws(() => applyMergePatch({}, null), { code: 400, message: 'Invalid JSON Patch' });
    for (const [patch, type] of [
      [[], 'array'],
      ['str', 'string'],
      [7, 'number'],
      [new JsonNumber('1e400'), 'number'],
      [true, 'bool'],
    ] as [JsonValue, string][]) {
      const message = `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
      assert.throws(() => applyMergePatch({}, patch), { code: 400, message });
    }
  });

  it('createMergePatch makes a patch that turns the first document into the second', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        assert.deepEqual(entries(applyMergePatch(before, createMergePatch(before, after))), entries(after));
      }),
    );
  });

  it('createMergePatch makes an empty patch of two equal documents', () => {
    fc.assert(fc.property(document, (same) => assert.deepEqual(createMergePatch(same, structuredClone(same)), {})));
  });
});

/** An object as sorted entries, so that members named `__proto__` are compared too. */
function entries(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(entries);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .map(([key, child]) => [key, entries(child)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

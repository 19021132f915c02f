import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '#base/json/json-value.ts';
import { FieldSet } from './field-set.ts';
import { FieldSetError, parseFieldSet, serializeFieldSet } from './fields-v1.ts';
import { pathText } from './path-element.ts';

const parse = (fields: object): FieldSet => parseFieldSet(fields as JsonObject);
/** The paths as texts, independent of the structure of the set. */
const texts = (set: FieldSet): string[] => [...set.paths()].map(pathText);

describe('FieldsV1', () => {
  const forms: [what: string, fields: object, paths: string[]][] = [
    ['nothing', {}, []],
    ['a leaf', { 'f:data': {} }, ['.data']],
    ['a field and its children', { 'f:data': { '.': {}, 'f:x': {} } }, ['.data', '.data.x']],
    ['only the children of a field', { 'f:data': { 'f:x': {} } }, ['.data.x']],
    [
      'list items by key, by value and by index',
      { 'f:l': { 'k:{"name":"x","port":80}': {}, 'v:"a"': {}, 'v:1.5': {}, 'v:true': {}, 'i:0': {} } },
      ['.l[name="x",port=80]', '.l[="a"]', '.l[=1.5]', '.l[=true]', '.l[0]'],
    ],
    ['numbers that a double cannot hold', { 'f:l': { 'v:1234567890123456789': {} } }, ['.l[=1234567890123456789]']],
    ['field names with any characters', { 'f:example.com/a': {}, 'f:.': {}, 'f:': {} }, ['.', '..', '.example.com/a']],
    ['members come before children of other members', { 'f:a': { 'f:b': {} }, 'f:z': {} }, ['.z', '.a.b']],
    ['keys ordered as numbers', { 'f:p': { 'k:{"n":10}': {}, 'k:{"n":9}': {} } }, ['.p[n=9]', '.p[n=10]']],
    ['path elements of unknown kinds are ignored', { 'f:a': {}, 'x:b': { 'f:c': {} } }, ['.a']],
    ['a field with only unknown children is ignored', { 'f:a': { 'x:b': {} } }, []],
  ];
  for (const [what, fields, paths] of forms) it(what, () => assert.deepEqual(texts(parse(fields)), paths));

  it('reads two spellings of the same key as one path element', () => {
    const a = parse({ 'f:l': { 'k:{"b":1,"a":"x"}': {} } });
    assert.ok(a.equals(parse({ 'f:l': { 'k:{ "a": "\\u0078", "b": 1.0 }': {} } })));
    assert.deepEqual(serializeFieldSet(a.union(FieldSet.empty)), { 'f:l': { 'k:{"b":1,"a":"x"}': {} } });
    assert.deepEqual(serializeFieldSet(new FieldSet(a.nodes)), { 'f:l': { 'k:{"a":"x","b":1}': {} } });
  });

  const wrong: object[] = [
    { data: {} },
    { 'k:x': {} },
    { 'k:{}': {} },
    { 'k:{"a":[]}': {} },
    { 'v:': {} },
    { 'v:{}': {} },
    { 'i:x': {} },
    { 'f:a': 1 },
    { 'f:a': [] },
  ];
  for (const fields of wrong) {
    it(`refuses ${JSON.stringify(fields)}`, () => assert.throws(() => parse(fields), FieldSetError));
  }
});

describe('field sets', () => {
  const a = parse({ 'f:x': {}, 'f:m': { '.': {}, 'f:a': {}, 'f:b': {} } });
  const b = parse({ 'f:m': { 'f:a': {}, 'f:c': {} }, 'f:y': {} });
  const results: [what: string, set: FieldSet, paths: string[]][] = [
    ['union', a.union(b), ['.m', '.x', '.y', '.m.a', '.m.b', '.m.c']],
    ['intersection', a.intersection(b), ['.m.a']],
    ['difference', a.difference(b), ['.m', '.x', '.m.b']],
    [
      'difference removes a path and keeps its children',
      a.difference(FieldSet.ofMembers(['m'])),
      ['.x', '.m.a', '.m.b'],
    ],
    ['recursive difference removes a path and its children', a.recursiveDifference(FieldSet.ofMembers(['m'])), ['.x']],
    [
      'members',
      FieldSet.ofMembers(['metadata', 'name'], ['metadata'], ['kind']),
      ['.kind', '.metadata', '.metadata.name'],
    ],
  ];
  for (const [what, set, paths] of results) it(what, () => assert.deepEqual(texts(set), paths));

  it('has() finds a path, but not its parent or its children', () => {
    const set = FieldSet.ofMembers(['a', 'b']);
    assert.deepEqual([set.has(['f:a', 'f:b']), set.has(['f:a']), set.has(['f:a', 'f:b', 'f:c'])], [true, false, false]);
  });

  const fields = fc.letrec<{ node: JsonObject }>((tie) => ({
    node: fc.dictionary(
      fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"n":"x"}', 'v:1'),
      fc.oneof({ depthSize: 'small' }, fc.constant({}), tie('node')),
      { maxKeys: 4 },
    ),
  })).node;
  const sets = fields.map((f) => parseFieldSet({ 'f:root': f }));

  it('give the same set after serializing and parsing', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const copy = new FieldSet(set.nodes);
        assert.ok(parseFieldSet(structuredClone(serializeFieldSet(copy))).equals(set));
      }),
    );
  });

  it('compute the same unions, intersections and differences as sets of path strings', () => {
    fc.assert(
      fc.property(sets, sets, (left, right) => {
        const [l, r] = [texts(left), texts(right)];
        const both = l.filter((path) => r.includes(path));
        assert.deepEqual(texts(left.union(right)).sort(), [...new Set([...l, ...r])].sort());
        assert.deepEqual(texts(left.intersection(right)).sort(), both.sort());
        assert.deepEqual(texts(left.difference(right)).sort(), l.filter((path) => !r.includes(path)).sort());
        const below = (path: string): boolean =>
          r.some((top) => path === top || path.startsWith(`${top}.`) || path.startsWith(`${top}[`));
        assert.deepEqual(texts(left.recursiveDifference(right)).sort(), l.filter((path) => !below(path)).sort());
        assert.equal(left.equals(right), l.join() === r.join());
      }),
    );
  });
});

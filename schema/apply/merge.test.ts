import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { type ApplyType, DEDUCED, NUMBER, type ObjectApplyType, STRING } from './apply-type.ts';
import { compare, isSame } from './compare.ts';
import { serializeFieldSet } from './fields-v1.ts';
import { merge } from './merge.ts';
import { removeItems } from './remove-items.ts';
import { fieldSetOf } from './to-field-set.ts';
import { TypedError, validateTyped } from './validate-typed.ts';

const port: ApplyType = object({ port: NUMBER, protocol: STRING, name: STRING });
const TYPE = object({
  text: STRING,
  labels: { kind: 'object', atomic: false, fields: new Map(), others: STRING },
  whole: { ...object({ a: STRING, b: STRING }), atomic: true },
  part: object({ a: STRING, b: STRING }),
  args: { kind: 'list', relation: 'atomic', keys: [], item: STRING },
  names: { kind: 'list', relation: 'set', keys: [], item: STRING },
  ports: {
    kind: 'list',
    relation: 'map',
    keys: [
      { name: 'port', default: undefined },
      { name: 'protocol', default: 'TCP' },
    ],
    item: port,
  },
  free: DEDUCED,
});

function object(fields: Record<string, ApplyType>): ObjectApplyType {
  return { kind: 'object', atomic: false, fields: new Map(Object.entries(fields)), others: undefined };
}

describe('merge', () => {
  const cases: [what: string, live: JsonObject, applied: JsonObject, merged: JsonObject][] = [
    [
      'a field that is not applied stays',
      { text: 'a', labels: { x: '1' } },
      { labels: { y: '2' } },
      { text: 'a', labels: { x: '1', y: '2' } },
    ],
    ['an applied value replaces the live value', { text: 'a' }, { text: 'b' }, { text: 'b' }],
    [
      'atomic maps and lists are replaced as a whole',
      { whole: { a: '1' }, args: ['1', '2'] },
      { whole: { b: '2' }, args: ['3'] },
      { whole: { b: '2' }, args: ['3'] },
    ],
    ['granular maps are merged', { part: { a: '1' } }, { part: { b: '2' } }, { part: { a: '1', b: '2' } }],
    [
      'an empty or null granular map or list leaves the live value',
      { part: { a: '1' }, names: ['x'] },
      { part: null, names: [] },
      { part: { a: '1' }, names: ['x'] },
    ],
    [
      'null replaces any other value',
      { text: 'a', args: ['1'] },
      { text: null, args: null },
      { text: null, args: null },
    ],
    [
      'live items with the same keys stay if the configuration does not apply these keys',
      {
        ports: [
          { port: 1, name: 'a' },
          { port: 1, name: 'b' },
        ],
      },
      { ports: [{ port: 2 }] },
      { ports: [{ port: 1, name: 'a' }, { port: 1, name: 'b' }, { port: 2 }] },
    ],
    [
      'an applied item replaces all live items with the same keys',
      {
        ports: [
          { port: 1, name: 'a' },
          { port: 1, name: 'b' },
        ],
      },
      { ports: [{ port: 1, name: 'c' }] },
      { ports: [{ port: 1, name: 'c' }] },
    ],
    ['applied items keep their order', { names: ['a', 'b', 'c'] }, { names: ['c', 'a'] }, { names: ['b', 'c', 'a'] }],
    [
      'new items stay in front of the item that they were applied in front of',
      { names: ['a', 'b'] },
      { names: ['c', 'a'] },
      { names: ['c', 'a', 'b'] },
    ],
    ['live items stay in front of new items', { names: ['a', 'z'] }, { names: ['c'] }, { names: ['a', 'z', 'c'] }],
    [
      'list items match by their keys, with the default for an absent key',
      {
        ports: [
          { port: 80, protocol: 'TCP', name: 'a' },
          { port: 80, protocol: 'UDP' },
        ],
      },
      { ports: [{ port: 80, name: 'b' }] },
      {
        ports: [
          { port: 80, protocol: 'TCP', name: 'b' },
          { port: 80, protocol: 'UDP' },
        ],
      },
    ],
    [
      'undeclared objects are merged, undeclared lists are replaced',
      { free: { o: { a: 1 }, l: [1] } },
      { free: { o: { b: 2 }, l: [2] } },
      { free: { o: { a: 1, b: 2 }, l: [2] } },
    ],
    [
      'undeclared fields may change their type',
      { free: { o: { a: 1 } } },
      { free: { o: 'text' } },
      { free: { o: 'text' } },
    ],
    [
      '__proto__ and constructor are ordinary keys',
      { labels: { a: '1' } },
      JSON.parse('{"labels":{"__proto__":"2","constructor":"3"}}'),
      JSON.parse('{"labels":{"a":"1","__proto__":"2","constructor":"3"}}'),
    ],
  ];
  for (const [what, live, applied, merged] of cases) {
    it(what, () => {
      const before = structuredClone(live);
      assert.deepEqual(merge(live, applied, TYPE), merged);
      assert.deepEqual(live, before);
    });
  }
});

describe('fieldSetOf', () => {
  const cases: [what: string, value: JsonObject, fields: object][] = [
    ['leaves', { text: 'a', part: { a: '1' } }, { 'f:text': {}, 'f:part': { 'f:a': {} } }],
    ['keys of maps', { labels: { x: '1' } }, { 'f:labels': { 'f:x': {} } }],
    [
      'empty and null members',
      { part: {}, labels: {}, text: null, ports: null },
      { 'f:part': {}, 'f:labels': {}, 'f:text': {}, 'f:ports': {} },
    ],
    ['an empty list only if it is atomic', { args: [], names: [] }, { 'f:args': {} }],
    [
      'list items with all their fields',
      { ports: [{ port: 80 }], names: ['a'] },
      { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } }, 'f:names': { 'v:"a"': {} } },
    ],
    ['atomic maps and lists', { whole: { a: '1' }, args: ['1'] }, { 'f:whole': {}, 'f:args': {} }],
    [
      'undeclared fields',
      { free: { o: { a: 1 }, l: [1], e: {} } },
      { 'f:free': { 'f:o': { '.': {}, 'f:a': {} }, 'f:l': {}, 'f:e': {} } },
    ],
  ];
  for (const [what, value, fields] of cases) {
    it(what, () => assert.deepEqual(serializeFieldSet(fieldSetOf(value, TYPE)), fields));
  }
});

describe('compare', () => {
  const cases: [
    what: string,
    before: JsonObject,
    after: JsonObject,
    found: { added?: object; modified?: object; removed?: object },
  ][] = [
    ['nothing', { text: 'a' }, { text: 'a' }, {}],
    [
      'numbers by value, texts by spelling',
      { free: { n: 1, s: '1' } },
      { free: { n: 1, s: '01' } },
      { modified: { 'f:free': { 'f:s': {} } } },
    ],
    [
      'a number differs from a text',
      { free: { n: 1 } },
      { free: { n: '1' } },
      { modified: { 'f:free': { 'f:n': {} } } },
    ],
    [
      'an added field together with its new parents',
      {},
      { part: { a: '1' } },
      { added: { 'f:part': { '.': {}, 'f:a': {} } } },
    ],
    [
      'a field that was empty or null before is not added itself',
      { part: {}, ports: null },
      { part: { a: '1' }, ports: [{ port: 1 }] },
      { added: { 'f:part': { 'f:a': {} }, 'f:ports': { 'k:{"port":1,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } } },
    ],
    [
      'a removed field together with its removed parents',
      { part: { a: '1' }, names: ['a', 'b'] },
      { names: ['b'] },
      { removed: { 'f:part': { '.': {}, 'f:a': {} }, 'f:names': { 'v:"a"': {} } } },
    ],
    [
      'atomic maps and lists as a whole',
      { whole: { a: '1' }, args: ['1'] },
      { whole: { a: '2' }, args: [] },
      { modified: { 'f:whole': {}, 'f:args': {} } },
    ],
    ['the order of list items does not matter', { names: ['a', 'b'] }, { names: ['b', 'a'] }, {}],
    [
      'a field that changes its type',
      { free: { o: { a: 1 } } },
      { free: { o: 'text' } },
      { modified: { 'f:free': { 'f:o': {} } }, removed: { 'f:free': { 'f:o': { 'f:a': {} } } } },
    ],
  ];
  for (const [what, before, after, found] of cases) {
    it(what, () => {
      const { added, modified, removed } = compare(before, after, TYPE);
      assert.deepEqual(
        { added: serializeFieldSet(added), modified: serializeFieldSet(modified), removed: serializeFieldSet(removed) },
        { added: {}, modified: {}, removed: {}, ...found },
      );
    });
  }
});

describe('validateTyped', () => {
  const cases: [what: string, value: JsonValue, problem: string][] = [
    ['the same item twice', { names: ['a', 'a'] }, '.names: duplicate entries for key [="a"]'],
    [
      'the same key twice, once by its default',
      { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      '.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      'a missing key without a default',
      { ports: [{}] },
      '.ports: element 0: an item leaves out its key "port", which has no default',
    ],
    ['an item of another type', { ports: [1] }, '.ports: element 0: items of a list with keys are objects'],
    ['a set of objects', { names: [{}] }, '.names: element 0: items of a set are single values'],
    ['an undeclared field', { part: { c: '1' } }, '.part.c: field not declared in schema'],
    ['a value of another type', { part: 'text' }, '.part: expected map, got string'],
    ['a list instead of a text', { text: [] }, '.text: expected string, got list'],
    ['an object instead of a list', { args: {} }, '.args: expected list, got map'],
    ['a number instead of a text', { labels: { a: 1 } }, '.labels.a: expected string, got number'],
  ];
  for (const [what, value, problem] of cases) {
    it(what, () => assert.throws(() => validateTyped(value, TYPE, 'refused'), new TypedError([], problem)));
  }
  it('allows null for any field, and allows undeclared fields in stored objects', () => {
    validateTyped({ text: null, part: null, names: null }, TYPE, 'refused');
    validateTyped({ ports: [{ port: null }, { port: 1, protocol: null }] }, TYPE, 'refused');
    validateTyped({ part: { c: '1' } }, TYPE, 'passed-over');
  });
});

/** A value with null for each part of it that holds nothing. */
function emptied(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(partOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, partOf(part)]));
}

function partOf(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  return Object.keys(value).length === 0 ? null : emptied(value);
}

describe('removeItems', () => {
  const cases: [what: string, before: JsonObject, path: JsonObject, after: JsonValue][] = [
    ['one of two map keys', { labels: { a: '1', b: '2' } }, { labels: { a: '' } }, { labels: { b: '2' } }],
    ['the last map key', { labels: { a: '1' } }, { labels: { a: '' } }, { labels: null }],
    ['the last list item', { names: ['a'], text: 'x' }, { names: ['a'] }, { names: null, text: 'x' }],
    ['everything', { labels: { a: '1' }, text: 'x' }, { labels: { a: '' }, text: '' }, { labels: null }],
  ];
  for (const [what, before, path, after] of cases) {
    it(`removes ${what} and leaves null for a field that is now empty`, () => {
      assert.deepEqual(removeItems(before, fieldSetOf(path, TYPE), TYPE), after);
    });
  }
});

describe('properties of merge, compare and removeItems', () => {
  const word = fc.constantFrom('a', 'b', 'c');
  const values: fc.Arbitrary<JsonObject> = fc.record(
    {
      text: word,
      labels: fc.dictionary(word, word),
      whole: fc.dictionary(fc.constantFrom('a', 'b'), word),
      part: fc.dictionary(fc.constantFrom('a', 'b'), word),
      args: fc.array(word, { maxLength: 3 }),
      names: fc.uniqueArray(word),
      ports: fc.uniqueArray(fc.record({ port: fc.constantFrom(1, 2, 3), name: word }), { selector: (p) => p.port }),
      free: fc.dictionary(word, fc.oneof(word, fc.dictionary(word, word), fc.array(word, { maxLength: 2 }))),
    },
    { requiredKeys: [] },
  );

  it('merging the same configuration again changes nothing', () => {
    fc.assert(
      fc.property(values, values, (live, applied) => {
        const merged = merge(live, applied, TYPE);
        assert.equal(merge(merged, applied, TYPE), merged);
        validateTyped(merged, TYPE, 'refused');
      }),
    );
  });

  it('a value equals its copy, and comparing in reverse swaps added and removed', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        assert.ok(isSame(compare(a, structuredClone(a), TYPE)));
        const [there, back] = [compare(a, b, TYPE), compare(b, a, TYPE)];
        assert.ok(
          there.added.equals(back.removed) && there.modified.equals(back.modified) && there.removed.equals(back.added),
        );
      }),
    );
  });

  it('removing all added fields restores the original value', () => {
    fc.assert(
      // An undeclared part that changes its form loses its content.
      fc.property(values, values, (live, { free: _, ...applied }) => {
        const merged = merge(live, applied, TYPE);
        const { added, modified } = compare(live, merged, TYPE);
        // An empty value may become null again.
        const back = compare(emptied(live), emptied(removeItems(merged, added, TYPE) ?? {}), TYPE);
        assert.ok(back.added.isEmpty && back.removed.isEmpty && back.modified.equals(modified));
      }),
    );
  });
});

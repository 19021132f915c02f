import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StatusError } from '#base/errors/status-error.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType } from '../descriptors/types.ts';
import { applyPatch } from './apply-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

function message(shortName: string, fields: Record<string, Partial<FieldType>>): MessageType {
  const jsonFields = Object.entries(fields).map(
    ([name, field]): FieldType => ({
      name,
      wireName: name,
      number: undefined,
      repeated: false,
      map: false,
      pointer: false,
      omitempty: true,
      inline: false,
      required: false,
      default: undefined,
      enum: undefined,
      enumPublished: false,
      format: undefined,
      listType: undefined,
      listMapKeys: undefined,
      mapType: undefined,
      patchStrategy: [],
      patchMergeKey: undefined,
      deprecated: false,
      ...field,
    }),
  );
  return {
    name: `test.v1.${shortName}`,
    shortName,
    package: 'test.v1',
    jsonForm: 'object',
    typeMeta: false,
    fields: jsonFields,
    jsonFields,
    byJsonName: new Map(jsonFields.map((field) => [field.name, field])),
    off: new Map(),
    mapType: undefined,
    published: true,
    openapiName: shortName,
    gvks: [],
    unions: [],
    resource: undefined,
  };
}

const TEXT = { scalar: 'string' } as const;
const TEXTS = { ...TEXT, repeated: true };
const MAP = { ...TEXT, map: true };
function merging(item: MessageType, key: string, ...more: string[]): Partial<FieldType> {
  return { message: item, repeated: true, patchStrategy: ['merge', ...more], patchMergeKey: key };
}

const ENV = message('Env', { name: TEXT, value: TEXT });
const RULE = message('Rule', { verbs: TEXTS });
const ITEM = message('Item', { name: TEXT, image: TEXT, env: merging(ENV, 'name'), args: TEXTS });
const VOLUME = message('Volume', { name: TEXT, emptyDir: { message: RULE }, secret: { message: RULE } });
const PORT = message('Port', { port: { scalar: 'int32' }, name: TEXT });
const OBJECT = message('Object', {
  labels: MAP,
  items: merging(ITEM, 'name'),
  volumes: merging(VOLUME, 'name', 'retainKeys'),
  ports: merging(PORT, 'port'),
  rules: { message: RULE, repeated: true },
  finalizers: { ...TEXTS, patchStrategy: ['merge'] },
  strategy: { message: message('Strategy', { type: TEXT, rolling: MAP }), patchStrategy: ['retainKeys'] },
  whole: { message: RULE, patchStrategy: ['replace'] },
  raw: { scalar: 'any' },
});

/** The case, the object, the patch, and the result: an object or a status code. */
type Row = [what: string, live: JsonObject, patch: JsonValue, after: JsonObject | number];

const ABC = { items: [{ name: 'a', image: 'a' }, { name: 'b', image: 'b' }, { name: 'c' }] };

const ROWS: Row[] = [
  ['an empty patch', ABC, {}, ABC],
  ['maps are merged', { labels: { a: '1', b: '2' } }, { labels: { a: null, c: '3' } }, { labels: { b: '2', c: '3' } }],
  ['null removes a field', { labels: { a: '1' } }, { labels: null, rules: null }, {}],
  ['nulls in a new value are dropped', {}, { labels: { a: null, b: '1' } }, { labels: { b: '1' } }],
  [
    'items merge by key and keep their position; new items come first',
    ABC,
    { items: [{ name: 'z' }, { name: 'b', image: 'B' }] },
    { items: [{ name: 'z' }, { name: 'a', image: 'a' }, { name: 'b', image: 'B' }, { name: 'c' }] },
  ],
  [
    'new items after an existing item stay after it',
    { items: [{ name: 'a' }, { name: 'b' }] },
    { items: [{ name: 'b', image: 'B' }, { name: 'c' }] },
    { items: [{ name: 'a' }, { name: 'b', image: 'B' }, { name: 'c' }] },
  ],
  [
    'a number as merge key',
    { ports: [{ port: 80 }] },
    { ports: [{ port: 80, name: 'x' }] },
    { ports: [{ port: 80, name: 'x' }] },
  ],
  ['an item without the merge key', ABC, { items: [{ image: 'x' }] }, 400],
  ['an item that is not an object', ABC, { items: ['x'] }, 400],
  [
    'duplicates in a list that merges: the last one wins',
    ABC,
    {
      items: [
        { name: 'x', image: '1' },
        { name: 'x', image: '2' },
      ],
    },
    {
      items: [{ name: 'x', image: '2' }, ...ABC.items],
    },
  ],
  [
    'duplicates in a new list stay',
    {},
    { items: [{ name: 'x' }, { name: 'x' }] },
    { items: [{ name: 'x' }, { name: 'x' }] },
  ],
  [
    'a list without a patch strategy is replaced',
    { rules: [{ verbs: ['a'] }] },
    { rules: [{ verbs: ['b'] }] },
    { rules: [{ verbs: ['b'] }] },
  ],
  [
    'an object with the strategy replace is replaced',
    { whole: { verbs: ['a'], x: 1 } },
    { whole: { verbs: ['b'] } },
    { whole: { verbs: ['b'] } },
  ],
  ['a value of another type replaces the old value', { labels: { a: '1' } }, { labels: 'x' }, { labels: 'x' }],
  [
    'primitive values: union, new ones first',
    { finalizers: ['a', 'b'] },
    { finalizers: ['c', 'a'] },
    { finalizers: ['c', 'a', 'b'] },
  ],
  ['primitive values: nothing new', { finalizers: ['c', 'a'] }, { finalizers: ['a'] }, { finalizers: ['c', 'a'] }],
  ['primitive values: a list as an item', { finalizers: ['a'] }, { finalizers: [['b']] }, 400],
  [
    'values of an unknown type: maps merge, lists are replaced',
    { raw: { a: 1, l: [1] } },
    { raw: { l: [2], b: null } },
    { raw: { a: 1, l: [2] } },
  ],

  [
    '$patch: delete removes an item',
    ABC,
    { items: [{ name: 'b', $patch: 'delete' }] },
    { items: [{ name: 'a', image: 'a' }, { name: 'c' }] },
  ],
  ['$patch: delete of a missing item changes nothing', ABC, { items: [{ name: 'x', $patch: 'delete' }] }, ABC],
  ['$patch: delete without the merge key', ABC, { items: [{ $patch: 'delete' }] }, 400],
  [
    'directives in new values are stored as ordinary members',
    {},
    { items: [{ name: 'b', $patch: 'delete' }, { name: 'c' }], strategy: { $patch: 'frob', type: 'R', rolling: null } },
    { items: [{ name: 'b', $patch: 'delete' }, { name: 'c' }], strategy: { $patch: 'frob', type: 'R' } },
  ],
  [
    'directives in a list that does not merge are stored as ordinary members',
    { rules: [{ verbs: ['a'] }] },
    { rules: [{ $patch: 'delete', verbs: ['b'] }] },
    { rules: [{ $patch: 'delete', verbs: ['b'] }] },
  ],
  ['$patch: replace of a list', ABC, { items: [{ $patch: 'replace' }, { name: 'z' }] }, { items: [{ name: 'z' }] }],
  ['$patch: replace drops the item that holds it', ABC, { items: [{ $patch: 'replace', name: 'q' }] }, { items: [] }],
  [
    '$patch: replace of a map',
    { labels: { a: '1' } },
    { labels: { $patch: 'replace', c: '3' } },
    { labels: { c: '3' } },
  ],
  ['$patch: delete of a map', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
  ['$patch: replace of the whole object', ABC, { $patch: 'replace' }, {}],
  ['$patch: merge', { labels: { a: '1' } }, { labels: { $patch: 'merge' } }, 400],
  ['$patch: unknown', { labels: { a: '1' } }, { labels: { $patch: 'frob' } }, 400],
  ['$patch: a number', { labels: { a: '1' } }, { labels: { $patch: 7 } }, 400],
  ['$patch: unknown in an item', ABC, { items: [{ name: 'a', $patch: 'frob' }] }, 400],
  ['$patch: merge in an item', ABC, { items: [{ name: 'a', $patch: 'merge' }] }, 400],
  [
    '$patch: merge in a new map is stored as an ordinary entry',
    {},
    { labels: { $patch: 'merge' } },
    { labels: { $patch: 'merge' } },
  ],
  [
    'null as merge key matches no other item',
    ABC,
    { items: [{ name: null }] },
    { items: [{ name: null }, ...ABC.items] },
  ],

  [
    '$retainKeys',
    { volumes: [{ name: 'v', emptyDir: {} }] },
    { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: {} }] },
    { volumes: [{ name: 'v', secret: {} }] },
  ],
  [
    '$retainKeys of an object',
    { strategy: { type: 'R', rolling: { a: '1' } } },
    { strategy: { $retainKeys: ['type'], type: 'X' } },
    {
      strategy: { type: 'X' },
    },
  ],
  [
    '$retainKeys of a missing object',
    {},
    { strategy: { $retainKeys: ['type'], type: 'X' } },
    { strategy: { $retainKeys: ['type'], type: 'X' } },
  ],
  [
    '$retainKeys that leaves out a member of the patch',
    { strategy: {} },
    { strategy: { $retainKeys: [], type: 'X' } },
    400,
  ],
  ['$retainKeys that is not a list', { strategy: {} }, { strategy: { $retainKeys: 'type' } }, 400],

  [
    '$setElementOrder alone',
    ABC,
    { '$setElementOrder/items': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] },
    {
      items: [{ name: 'c' }, { name: 'a', image: 'a' }, { name: 'b', image: 'b' }],
    },
  ],
  [
    '$setElementOrder with a new item',
    { items: [{ name: 'c' }, { name: 'a' }, { name: 'b' }] },
    { '$setElementOrder/items': [{ name: 'd' }, { name: 'a' }, { name: 'b' }], items: [{ name: 'd' }] },
    { items: [{ name: 'd' }, { name: 'c' }, { name: 'a' }, { name: 'b' }] },
  ],
  [
    '$setElementOrder with a removed item',
    ABC,
    { '$setElementOrder/items': [{ name: 'a' }, { name: 'b' }], items: [{ name: 'a', $patch: 'delete' }] },
    { items: [{ name: 'b', image: 'b' }, { name: 'c' }] },
  ],
  [
    '$setElementOrder without a patched item',
    ABC,
    { '$setElementOrder/items': [{ name: 'b' }], items: [{ name: 'z' }] },
    400,
  ],
  [
    '$setElementOrder with an empty list keeps the order',
    ABC,
    { '$setElementOrder/items': [], items: [{ name: 'c' }, { name: 'b', image: 'B' }] },
    { items: [{ name: 'a', image: 'a' }, { name: 'b', image: 'B' }, { name: 'c' }] },
  ],
  ['$setElementOrder with invalid items for a missing list is ignored', {}, { '$setElementOrder/items': ['x'] }, {}],
  ['$setElementOrder without the merge key', ABC, { '$setElementOrder/items': [{ noname: 'b' }] }, 400],
  ['$setElementOrder that is not a list', ABC, { '$setElementOrder/items': 'b' }, 400],
  ['$setElementOrder of an unknown field', ABC, { '$setElementOrder/nosuch': [{ name: 'b' }] }, 400],
  ['$setElementOrder without a slash', ABC, { $setElementOrderitems: [] }, 400],
  ['$deleteFromPrimitiveList without a slash', ABC, { $deleteFromPrimitiveListfinalizers: ['a'] }, 400],
  ['$setElementOrder without a field name', ABC, { '$setElementOrder/': [] }, 400],
  ['$setElementOrder of a missing list is ignored', {}, { '$setElementOrder/items': [{ name: 'b' }] }, {}],
  [
    '$setElementOrder of primitive values',
    { finalizers: ['c', 'b', 'd'] },
    { '$setElementOrder/finalizers': ['d', 'b'] },
    {
      finalizers: ['c', 'd', 'b'],
    },
  ],
  [
    '$setElementOrder of primitive values with a new one',
    { finalizers: ['c', 'b'] },
    { '$setElementOrder/finalizers': ['c', 'b', 'd'], finalizers: ['d'] },
    { finalizers: ['c', 'b', 'd'] },
  ],

  [
    '$deleteFromPrimitiveList',
    { finalizers: ['a', 'b'] },
    { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] },
    { finalizers: ['b'] },
  ],
  [
    '$deleteFromPrimitiveList that is not a list',
    { finalizers: ['a'] },
    { '$deleteFromPrimitiveList/finalizers': 'a' },
    { finalizers: ['a'] },
  ],
  [
    '$deleteFromPrimitiveList that is null removes the list',
    { finalizers: ['a'] },
    { '$deleteFromPrimitiveList/finalizers': null },
    {},
  ],
  [
    '$deleteFromPrimitiveList of a list that does not merge replaces it',
    { items: [{ name: 'a', args: ['x', 'y'] }] },
    { items: [{ name: 'a', '$deleteFromPrimitiveList/args': ['x'] }] },
    { items: [{ name: 'a', args: ['x'] }] },
  ],
  ['$deleteFromPrimitiveList of a missing list', {}, { '$deleteFromPrimitiveList/finalizers': ['a'] }, {}],

  [
    'directives in nested items',
    { items: [{ name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Y' }] }] },
    {
      items: [
        {
          name: 'a',
          env: [
            { name: 'X', $patch: 'delete' },
            { name: 'Y', value: '2' },
          ],
        },
      ],
    },
    { items: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] },
  ],

  ['a patch that is a list', {}, [], 400],
  ['a patch that is a text', {}, 'x', 400],
];

describe('strategic merge patch', () => {
  for (const [what, live, patch, after] of ROWS) {
    it(what, () => {
      const before = structuredClone([live, patch]);
      if (typeof after === 'number') {
        assert.throws(() => applyStrategicMergePatch(live, patch, OBJECT), { code: after });
      } else {
        assert.deepEqual(applyStrategicMergePatch(live, patch, OBJECT), after);
      }
      assert.deepEqual([live, patch], before);
    });
  }

  it('merges maps and replaces lists if the type is unknown', () => {
    const after = applyStrategicMergePatch({ a: { x: 1 }, l: [{ name: 'a' }] }, { a: { y: 2 }, l: [] }, undefined);
    assert.deepEqual(after, { a: { x: 1, y: 2 }, l: [] });
  });

  it('treats __proto__ and constructor as ordinary keys', () => {
    const patch = JSON.parse('{"labels":{"__proto__":{"polluted":"yes"},"constructor":null}}') as JsonObject;
    const after = applyStrategicMergePatch({ labels: { a: '1' } }, patch, OBJECT);
    assert.deepEqual(Object.keys(after['labels'] as JsonObject), ['a', '__proto__']);
    assert.equal(({} as JsonObject)['polluted'], undefined);
  });

  it('returns a result or a 4xx for any document', () => {
    const name = fc
      .constantFrom('items', 'labels', 'finalizers', 'name', 'env', '$patch', '$retainKeys', 'strategy')
      .chain((n) => fc.constantFrom(n, `$setElementOrder/${n}`, `$deleteFromPrimitiveList/${n}`));
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<JsonValue>('a', 'b', 'delete', 'replace', null, 1),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, value, (live, patch) => {
        try {
          applyPatch('strategic', OBJECT, { items: live, strategy: live, labels: live }, patch);
        } catch (error) {
          assert.ok(error instanceof StatusError && error.code < 500, String(error));
        }
      }),
    );
  });
});

describe('a strategic merge patch that copies the same values again and again', () => {
  const names = Array.from({ length: 3_000 }, (_, i) => `n${i}`);
  const rows: readonly (readonly [what: string, live: JsonObject, patch: JsonObject])[] = [
    [
      'items with one key',
      { items: [{ name: 'a', env: names.map((name) => ({ name })) }] },
      { items: names.map(() => ({ name: 'a', env: [] })) },
    ],
    [
      'directives about one list',
      { finalizers: names },
      Object.fromEntries(names.map((name) => [`$deleteFromPrimitiveList${name}/finalizers`, []])),
    ],
  ];
  for (const [what, live, patch] of rows)
    it(`is refused: ${what}`, () => {
      assert.throws(() => applyPatch('strategic', OBJECT, live, patch), { code: 413 });
    });
});

describe('a patch of any kind', () => {
  it('returns 400 if the patch is nested too deeply', () => {
    let deep: JsonValue = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    for (const kind of ['json', 'merge', 'strategic'] as const) {
      assert.throws(() => applyPatch(kind, OBJECT, {}, { raw: deep }), { code: 400 });
    }
  });

  it('returns 400 if the patched object is nested too deeply', () => {
    let value: JsonValue = 1;
    for (let i = 0; i < 600; i++) value = { x: value };
    const leaf = `/a${'/x'.repeat(600)}`;
    const patch = [
      { op: 'add', path: '/a', value },
      { op: 'add', path: leaf, value },
    ];
    assert.throws(() => applyPatch('json', OBJECT, {}, patch), { code: 400 });
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { Schemas } from '#client/open-api/schemas.ts';
import { DEDUCED } from '#schema/apply/apply-type.ts';
import { decodeManagersOrNone } from '#schema/apply/managers.ts';
import { fieldTypeOf } from './field-type.ts';
import { conflictsOf, type Edit, fieldChanges, merged, ownChanges } from './three-way.ts';

const { extensionPrefix } = createNaming('orch');
const item = { type: 'object', properties: { name: { type: 'string' }, image: { type: 'string' } } };
const schemas = new Schemas({
  Item: item,
  Root: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        items: { allOf: [{ $ref: '#/components/schemas/Item' }] },
        [`${extensionPrefix}list-type`]: 'map',
        [`${extensionPrefix}list-map-keys`]: ['name'],
      },
      args: { type: 'array', items: { type: 'string' } },
      self: { $ref: '#/components/schemas/Root' },
    },
  },
});
const type = fieldTypeOf(schemas, { $ref: '#/components/schemas/Root' }, extensionPrefix);

const edit = (base: JsonObject, mine: JsonObject, live: JsonObject): Edit => ({ base, mine, live, type });
const items = (...list: JsonObject[]): JsonObject => ({ items: list });
const a = { name: 'a', image: '1' };
const b = { name: 'b', image: '1' };

const managers = [
  ...decodeManagersOrNone([
    {
      manager: 'gitops',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:kept': {}, 'f:items': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:image': {} } } },
    },
    { manager: 'cli', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:free': {} } },
  ]).values(),
];

const cases: readonly [
  what: string,
  base: JsonObject,
  mine: JsonObject,
  live: JsonObject,
  conflicts: readonly string[],
  result: JsonObject,
][] = [
  ['nothing', { x: 1 }, { x: 1 }, { x: 2 }, [], { x: 2 }],
  ['different fields', { x: 1, y: 1 }, { x: 2, y: 1 }, { x: 1, y: 2 }, [], { x: 2, y: 2 }],
  ['the same field', { x: 1 }, { x: 2 }, { x: 3 }, ['.x changed: 1, 2, 3'], { x: 2 }],
  ['the same field to the same value', { x: 1 }, { x: 2 }, { x: 2 }, [], { x: 2 }],
  ['a field that another client has removed', { x: 1 }, { x: 2 }, {}, ['.x changed: 1, 2, undefined'], { x: 2 }],
  ['a field that the user has removed', { x: 1, y: 1 }, { y: 1 }, { x: 1, y: 2 }, [], { y: 2 }],
  ['a field that is new on both sides', {}, { x: 1 }, { x: 2 }, ['.x changed: undefined, 1, 2'], { x: 1 }],
  [
    'a field with a dot in its name',
    { m: {} },
    { m: { 'a.b/c': '1' } },
    { m: { z: '1' } },
    [],
    { m: { z: '1', 'a.b/c': '1' } },
  ],
  ['list items by key', items(a, b), items(a, { ...b, image: '2' }), items(b), [], items({ ...b, image: '2' })],
  [
    'a new list item',
    items(b),
    items(b, { name: 'c' }),
    items({ name: 'd' }, b),
    [],
    items({ name: 'd' }, b, { name: 'c' }),
  ],
  [
    'a list item that the user has removed',
    items(a, b),
    items(b),
    items(a, b, { name: 'd' }),
    ['.items[name="a"] applied: {"name":"a","image":"1"}, undefined, {"name":"a","image":"1"}'],
    items(b, { name: 'd' }),
  ],
  [
    'an atomic list',
    { args: ['x'] },
    { args: ['y'] },
    { args: ['z'] },
    ['.args changed: ["x"], ["y"], ["z"]'],
    { args: ['y'] },
  ],
  [
    'a field that another manager has applied',
    { kept: 1 },
    { kept: 2 },
    { kept: 1 },
    ['.kept applied: 1, 2, 1'],
    { kept: 2 },
  ],
  ['a field that another manager has updated', { free: 1 }, { free: 2 }, { free: 1 }, [], { free: 2 }],
  [
    'the resource version',
    { metadata: { resourceVersion: '1' } },
    { metadata: { resourceVersion: '2' } },
    { metadata: { resourceVersion: '3' } },
    [],
    { metadata: { resourceVersion: '3' } },
  ],
  [
    '__proto__ as a field name',
    {},
    JSON.parse('{"__proto__":1}') as JsonObject,
    {},
    [],
    JSON.parse('{"__proto__":1}') as JsonObject,
  ],
];

describe('merging an edit with changes of other clients', () => {
  for (const [what, base, mine, live, conflicts, result] of cases)
    it(what, () => {
      const one = edit(base, mine, live);
      const changes = ownChanges(one)!;
      const found = conflictsOf(one, changes, managers);
      assert.deepEqual(
        found.map((each) => `${each.path} ${each.why}: ${each.base}, ${each.mine}, ${each.theirs}`),
        conflicts,
      );
      assert.deepEqual(merged(one, changes), result);
    });

  it('does not merge list items without a key', () =>
    assert.equal(ownChanges(edit(items(a), items({ image: '2' }), items(a))), undefined));

  it('names the manager of a conflicting field and the time', () => {
    const one = edit({ kept: 1 }, { kept: 2 }, { kept: 1 });
    const [conflict] = conflictsOf(one, ownChanges(one)!, managers);
    assert.deepEqual(conflict!.by, [{ manager: 'gitops', time: '2026-01-01T00:00:00Z' }]);
  });

  it('gives the edited object if nothing else has changed', () => {
    // A server treats null like a missing value.
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const object = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(leaf, { maxLength: 3 }), tie('object')),
      object: fc.dictionary(fc.constantFrom('a', 'b', 'c.d', '__proto__'), tie('value'), { maxKeys: 3 }),
    })).object;
    fc.assert(
      fc.property(object, object, (base, mine) => {
        const one = { base, mine, live: base, type: DEDUCED };
        const result = merged(one, ownChanges(one)!);
        assert.deepEqual(fieldChanges(mine, result, DEDUCED, 9), []);
      }),
    );
  });
});

import assert from 'node:assert/strict';
import type { JsonValue } from '#base/json/json-value.ts';
import { removeField } from './without-field.ts';

describe('removeField', () => {
  const rows: readonly (readonly [path: string, before: JsonValue, after: JsonValue | undefined])[] = [
    ['.data.a', { data: { a: '1', b: '2' } }, { data: { b: '2' } }],
    ['.data', { data: { a: '1' } }, {}],
    ['.data.a.b', { data: { a: '1', 'a.b': '2' } }, { data: { a: '1' } }],
    [
      '.metadata.labels.example.com/x',
      { metadata: { labels: { 'example.com/x': '1' } } },
      { metadata: { labels: {} } },
    ],
    ['.data.c', { data: { a: '1' } }, undefined],
    ['.data.a[0]', { data: { a: '1' } }, undefined],
    [
      '.list[name="x"].image',
      {
        list: [
          { name: 'y', image: '1' },
          { name: 'x', image: '2' },
        ],
      },
      { list: [{ name: 'y', image: '1' }, { name: 'x' }] },
    ],
    ['.list[name="x"]', { list: [{ name: 'y' }, { name: 'x' }] }, { list: [{ name: 'y' }] }],
    ['.list[name="a]\\"b"].v', { list: [{ name: 'a]"b', v: 1 }] }, { list: [{ name: 'a]"b' }] }],
    [
      '.ports[port=80,protocol="TCP"].name',
      {
        ports: [
          { port: 81, name: 'a' },
          { port: 80, name: 'b' },
        ],
      },
      { ports: [{ port: 81, name: 'a' }, { port: 80 }] },
    ],
    ['.ports[port=80,protocol="UDP"].name', { ports: [{ port: 80, protocol: 'TCP', name: 'b' }] }, undefined],
    ['.set[="x"]', { set: ['w', 'x'] }, { set: ['w'] }],
    ['.atomic[1].v', { atomic: [{ v: 1 }, { v: 2 }] }, { atomic: [{ v: 1 }, {}] }],
    ['.list[name="x"', { list: [{ name: 'x' }] }, undefined],
  ];
  for (const [path, before, after] of rows)
    it(`${path} of ${JSON.stringify(before)}`, () => {
      const value = structuredClone(before);
      assert.equal(removeField(value, path), after !== undefined);
      assert.deepEqual(value, after ?? before);
    });
});

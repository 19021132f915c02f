import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import { contestedFields } from './contested.ts';

const pod = shapeOf(loadSchema().message('core.v1.Pod'));
const containers = (...containers: JsonObject[]): JsonObject => ({ spec: { containers } });
const web = (fields: JsonObject): JsonObject => containers({ name: 'web', ...fields });

describe('contestedFields finds', () => {
  const cases: readonly (readonly [
    what: string,
    original: JsonObject,
    modified: JsonObject,
    current: JsonObject,
    fields: readonly string[],
  ])[] = [
    ['no field if other fields have changed', { a: 1 }, { a: 2 }, { a: 1, b: 2 }, []],
    ['no field if it already has the value of the file', { a: 1 }, { a: 2 }, { a: 2 }, []],
    ['a value that another client has changed', { a: 1 }, { a: 1 }, { a: 3 }, ['a']],
    [
      'a value that the file and another client have changed',
      { m: { a: 1 } },
      { m: { a: 2 } },
      { m: { a: 3 } },
      ['m.a'],
    ],
    ['a changed value that the file removes', { a: 1 }, {}, { a: 3 }, ['a']],
    ['a value that another client has removed', { a: 1 }, { a: 1 }, {}, ['a']],
    ['no field if it is removed on both sides', { a: 1 }, {}, {}, []],
    ['a new value of the file that another client has already set', {}, { a: 1 }, { a: 3 }, ['a']],
    ['a changed value that the file sets to null', { a: 1 }, { a: null }, { a: 3 }, ['a']],
    ['no field if the file sets an unchanged value to null', { a: 1 }, { a: null }, { a: 1 }, []],
    [
      'a member that another client has added to a map that the file removes',
      { m: { a: 1 } },
      {},
      { m: { a: 1, x: 1 } },
      ['m.x'],
    ],
    ['a changed list', { l: [1] }, { l: [2] }, { l: [3] }, ['l']],
    ['no list if its items only have added defaults', { l: [{ a: 1 }] }, { l: [] }, { l: [{ a: 1, d: 1 }] }, []],
    [
      'a changed list item',
      web({ image: '1' }),
      web({ image: '2' }),
      web({ image: '3' }),
      ['spec.containers[name="web"].image'],
    ],
    [
      'no list item if another client has added an item before it',
      web({}),
      web({ image: '2' }),
      containers({ name: 'x' }, { name: 'web' }),
      [],
    ],
    [
      'no list item that the file removes if only defaults were added',
      web({ image: '1' }),
      containers(),
      web({ image: '1', tty: true }),
      [],
    ],
    [
      'a changed list item that the file removes',
      web({ image: '1' }),
      containers(),
      web({ image: '3' }),
      ['spec.containers[name="web"].image'],
    ],
    [
      'a list item that another client has removed',
      web({ image: '1' }),
      web({ image: '1' }),
      containers({ name: 'x' }),
      ['spec.containers[name="web"]'],
    ],
    ['no list of primitive values that merges', finalizers('a'), finalizers('b'), finalizers('a', 'x'), []],
  ];
  for (const [what, original, modified, current, fields] of cases)
    it(what, () => assert.deepEqual(contestedFields(original, modified, current, pod), fields));
});

function finalizers(...names: string[]): JsonObject {
  return { metadata: { finalizers: names } };
}

import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import { contestedFields } from './contested.ts';

const pod = shapeOf(loadSchema().message('core.v1.Pod'));
const containers = (...containers: JsonObject[]): JsonObject => ({ spec: { containers } });
const web = (fields: JsonObject): JsonObject => containers({ name: 'web', ...fields });

describe('fields that another client has changed, and a file wants to be different', () => {
  const cases: readonly (readonly [
    what: string,
    original: JsonObject,
    modified: JsonObject,
    current: JsonObject,
    fields: readonly string[],
  ])[] = [
    ['nothing is', { a: 1 }, { a: 2 }, { a: 1, b: 2 }, []],
    ['a field that has the wanted value already', { a: 1 }, { a: 2 }, { a: 2 }, []],
    ['a value', { a: 1 }, { a: 1 }, { a: 3 }, ['a']],
    ['one that the file has changed too', { m: { a: 1 } }, { m: { a: 2 } }, { m: { a: 3 } }, ['m.a']],
    ['one that the file drops', { a: 1 }, {}, { a: 3 }, ['a']],
    ['one that another client has removed', { a: 1 }, { a: 1 }, {}, ['a']],
    ['one that was removed, and the file drops', { a: 1 }, {}, {}, []],
    ['one that is new in the file, and there already', {}, { a: 1 }, { a: 3 }, ['a']],
    ['an explicit null', { a: 1 }, { a: null }, { a: 3 }, ['a']],
    ['an explicit null of a field that is unchanged', { a: 1 }, { a: null }, { a: 1 }, []],
    [
      'a map that the file drops, with a member that another client has added',
      { m: { a: 1 } },
      {},
      { m: { a: 1, x: 1 } },
      ['m.x'],
    ],
    ['a list', { l: [1] }, { l: [2] }, { l: [3] }, ['l']],
    ['a list whose items have defaults', { l: [{ a: 1 }] }, { l: [] }, { l: [{ a: 1, d: 1 }] }, []],
    ['an item', web({ image: '1' }), web({ image: '2' }), web({ image: '3' }), ['spec.containers[name="web"].image']],
    ['an item beside others', web({}), web({ image: '2' }), containers({ name: 'x' }, { name: 'web' }), []],
    ['an item that is dropped, with defaults', web({ image: '1' }), containers(), web({ image: '1', tty: true }), []],
    [
      'an item that is dropped, and changed',
      web({ image: '1' }),
      containers(),
      web({ image: '3' }),
      ['spec.containers[name="web"].image'],
    ],
    [
      'an item that another client has removed',
      web({ image: '1' }),
      web({ image: '1' }),
      containers({ name: 'x' }),
      ['spec.containers[name="web"]'],
    ],
    ['plain values that merge', finalizers('a'), finalizers('b'), finalizers('a', 'x'), []],
  ];
  for (const [what, original, modified, current, fields] of cases)
    it(what, () => assert.deepEqual(contestedFields(original, modified, current, pod), fields));
});

function finalizers(...names: string[]): JsonObject {
  return { metadata: { finalizers: names } };
}

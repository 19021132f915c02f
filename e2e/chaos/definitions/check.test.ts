import assert from 'node:assert/strict';
import type { Change, Law } from '../checker/history.ts';
import { checkDefinitions } from './check.ts';

const put = (revision: number, key: string, id: string): Change => ({
  revision,
  key,
  previous: 0,
  value: { id, uid: key, color: '' },
});
const drop = (revision: number, key: string): Change => ({ revision, key, previous: 1, value: undefined });
const words = { isDefinition: (key: string) => key === 'D', definitionOf: () => 'D' };

const cases: readonly [what: string, changes: readonly Change[], breaks?: Law][] = [
  [
    'objects of the current edition',
    [put(1, 'D', 'edition-1'), put(2, 'a', 'made-1-x'), put(3, 'D', 'edition-2'), put(4, 'b', 'made-2-y')],
  ],
  [
    'a definition that is written without a new edition',
    [put(1, 'D', 'edition-1'), put(2, 'D', 'edition-1'), put(3, 'a', 'made-1-x')],
  ],
  [
    'a definition that is deleted after its objects',
    [put(1, 'D', 'edition-1'), put(2, 'a', 'made-1-x'), drop(3, 'a'), drop(4, 'D')],
  ],
  [
    'an object of the previous edition',
    [put(1, 'D', 'edition-1'), put(2, 'D', 'edition-2'), put(3, 'a', 'made-1-x')],
    'schema',
  ],
  ['an object of a later edition', [put(1, 'D', 'edition-1'), put(3, 'a', 'made-2-x')], 'schema'],
  ['an object without an edition', [put(1, 'D', 'edition-1'), put(3, 'a', '')], 'schema'],
  ['an object without a definition', [put(3, 'a', 'made-1-x')], 'outlived'],
  [
    'an object created after its definition was deleted',
    [put(1, 'D', 'edition-1'), drop(2, 'D'), put(3, 'a', 'made-1-x')],
    'outlived',
  ],
  [
    'an object that remains after its definition',
    [put(1, 'D', 'edition-1'), put(2, 'a', 'made-1-x'), drop(3, 'D')],
    'outlived',
  ],
];

describe('laws for custom resource definitions', () => {
  for (const [what, changes, breaks] of cases)
    it(`${breaks === undefined ? 'accept' : 'refuse'} ${what}`, () => {
      assert.deepEqual(
        checkDefinitions(changes, words).map(({ law }) => law),
        breaks === undefined ? [] : [breaks],
      );
    });
});
